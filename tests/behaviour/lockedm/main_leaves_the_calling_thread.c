/* SPDX-License-Identifier: MIT */
/* Proves: main begins on the thread that called tuco_run() and leaves it when it first
   waits, unless it is wired to it. That thread runs no other goroutine, so that
   tuco_run() returns within 100 ms of main, whatever the others do; but if there is no
   other thread, it runs all. */
/* fixed procs */
#include "threads.h"

#include <sys/mman.h>

#define ROUNDS 500
#define RESULT 7

/* How soon tuco_run() returns, if the machine has a CPU for it. Other load delays some
   trials, so the median counts. */
#define RETURN_NS (100 * TUCO_MILLISECOND)
#define TRIALS    5

static int pipe_ends[2];
static atomic_int begun;
static tuco_time main_left_ns;

static void expect_elsewhere(void *arg) {
    (void)arg;
    ASSERT(!on_first_thread());
    tuco_yield();
    ASSERT(!on_first_thread());
}

static void expect_all_elsewhere(int rounds) {
    tuco_wg wg = {0};
    for (int i = 0; i < rounds; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, expect_elsewhere, NULL), 0);
        tuco_wg_wait(&wg);
    }
}

/* main parks, whatever the others do. It need not park in tuco_wg_wait(): the goroutine
   may have run on another thread, and ended, before main calls it. */
static void expect_main_elsewhere(void) {
    tuco_sleep(TUCO_MICROSECOND);
    expect_elsewhere(NULL);
}

static int free_main(void *arg) {
    (void)arg;
    ASSERT(on_first_thread());
    expect_main_elsewhere();
    expect_all_elsewhere(ROUNDS);
    return RESULT;
}

TEST(goroutines_run_elsewhere) {
    test_setenv("TUCOPROCS", "1");
    int threads = test_count_threads();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_run(free_main, NULL), RESULT);
        ASSERT(on_first_thread());
        EXPECT_THREADS(threads);
    }
}

static int wired_main(void *arg) {
    (void)arg;
    tuco_lock_thread();
    for (int i = 0; i < ROUNDS; i++) {
        expect_all_elsewhere(1);
        ASSERT(on_first_thread());
    }
    tuco_unlock_thread();
    expect_all_elsewhere(1);
    expect_main_elsewhere();
    tuco_lock_thread(); // the end of main is not an end of its thread
    return RESULT;
}

TEST(wired_main_stays) {
    int threads = test_count_threads();
    for (int procs = 1; procs <= 2; procs++) {
        tuco_config config = {.procs = procs};
        ASSERT_EQ(tuco_configure(&config), 0);
        ASSERT_EQ(tuco_run(wired_main, NULL), RESULT);
        ASSERT(on_first_thread());
        EXPECT_THREADS(threads);
    }
}

/* It never returns. */
static void read_unannounced(void *arg) {
    char byte;
    (void)arg;
    atomic_fetch_add(&begun, 1);
    ASSERT_EQ(read(pipe_ends[0], &byte, 1), 1);
}

static void compute_for_ever(void *arg) {
    atomic_fetch_add(&begun, 1);
    for (;;) {
        atomic_fetch_add((atomic_int *)arg, 1);
    }
}

/* At least one of them runs on another thread when main returns. */
static int main_beside(tuco_fn *fn) {
    static atomic_int turns;
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(tuco_go(fn, &turns), 0);
    }
    while (atomic_load(&begun) == 0) {
        tuco_yield();
    }
    main_left_ns = tuco_now();
    return RESULT;
}

static int main_beside_readers(void *arg) {
    (void)arg;
    return main_beside(read_unannounced);
}

static int main_beside_hogs(void *arg) {
    (void)arg;
    return main_beside(compute_for_ever);
}

/* In memory that the child process shares. */
struct trial {
    int (*fn)(void *);
    tuco_time took_ns;
};

/* In a child: a runtime that has left goroutines behind cannot start again. */
static void run_trial(void *arg) {
    struct trial *t = arg;
    ASSERT_EQ(pipe(pipe_ends), 0);
    ASSERT_EQ(tuco_run(t->fn, NULL), RESULT);
    t->took_ns = tuco_now() - main_left_ns;
    ASSERT(on_first_thread());
}

static void expect_prompt_return(int (*fn)(void *), const char *procs) {
    static struct test_child child;
    int prompt = 0;
    struct trial *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT(t != MAP_FAILED);
    t->fn = fn;
    test_setenv("TUCOPROCS", procs);
    for (int i = 0; i < TRIALS; i++) {
        test_child_run(&child, run_trial, t);
        EXPECT_STATUS(&child, 0);
        prompt += t->took_ns <= RETURN_NS;
    }
    ASSERT_GT(prompt, TRIALS / 2);
}

TEST(returns_beside_readers_one_p) {
    expect_prompt_return(main_beside_readers, "1");
}

TEST(returns_beside_readers) {
    expect_prompt_return(main_beside_readers, "4");
}

TEST(returns_beside_hogs_one_p) {
    expect_prompt_return(main_beside_hogs, "1");
}

TEST(returns_beside_hogs) {
    expect_prompt_return(main_beside_hogs, "4");
}

static void expect_here(void *arg) {
    (void)arg;
    ASSERT(on_first_thread());
    tuco_yield();
    ASSERT(on_first_thread());
}

static int single_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, expect_here, NULL), 0);
        tuco_wg_wait(&wg);
        expect_here(NULL);
    }
    return RESULT;
}

TEST(the_only_thread_runs_all) {
    tuco_config config = {.procs = 2, .max_threads = 1};
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(tuco_run(single_main, NULL), RESULT);
}
