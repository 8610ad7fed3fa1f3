/* SPDX-License-Identifier: MIT */
/* Proves: threads that block lose their processors even if the process has no descriptor
   left: a goroutine that is interrupted while it holds a lock of the C library runs
   again, and so do others beside a call that blocks. */
/* fixed procs */
#include "hogs.h"
#include "pipes.h"

#include <errno.h>
#include <sys/resource.h>

#define HOLDERS         8
#define ROUNDS          3
#define DESCRIPTORS_MAX 64

static tuco_wg wg;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *shared;
static int sections; /* lock, or that of shared */
static struct pipe_ends data;
static atomic_int entered;
static int used_up[DESCRIPTORS_MAX];
static int used_up_count;

/* Called after the test has opened its own. */
static void use_up_descriptors(void) {
    struct rlimit limit = {DESCRIPTORS_MAX, DESCRIPTORS_MAX};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int fd; (fd = dup(0)) >= 0;) {
        used_up[used_up_count++] = fd;
    }
    ASSERT_EQ(errno, EMFILE);
}

/* Sanitizers need some at the end. */
static void give_descriptors_back(void) {
    while (used_up_count > 0) {
        ASSERT_EQ(close(used_up[--used_up_count]), 0);
    }
}

/* Each holder is interrupted while it holds the lock, and the others wait for it. */
static void hold_mutex(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(pthread_mutex_lock(&lock), 0);
        compute_for_turns(1);
        sections++;
        ASSERT_EQ(pthread_mutex_unlock(&lock), 0);
    }
}

static void hold_file(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        flockfile(shared);
        ASSERT_GT(fprintf(shared, "%d\n", i), 0);
        compute_for_turns(1);
        sections++;
        funlockfile(shared);
    }
}

static int hold_main(void *arg) {
    use_up_descriptors();
    turns_start();
    for (int i = 0; i < HOLDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, *(tuco_fn **)arg, NULL), 0);
    }
    tuco_wg_wait(&wg);
    turns_stop();
    ASSERT_EQ(sections, HOLDERS * ROUNDS);
    give_descriptors_back();
    return 0;
}

static void run_holders(int procs, tuco_fn *hold) {
    hogs_use(procs);
    shared = fopen("/dev/null", "we");
    ASSERT(shared != NULL);
    ASSERT_EQ(tuco_run(hold_main, &hold), 0);
    ASSERT_EQ(fclose(shared), 0);
}

TEST(mutex_at_1) {
    run_holders(1, hold_mutex);
}

TEST(mutex_at_2) {
    run_holders(2, hold_mutex);
}

TEST(stream_at_1) {
    run_holders(1, hold_file);
}

TEST(stream_at_2) {
    run_holders(2, hold_file);
}

static void block(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    pipe_take(&data);
}

/* More goroutines than processors: the last one enters only if processors were taken
   away. */
static int read_main(void *arg) {
    int blockers = *(int *)arg;
    use_up_descriptors();
    for (int i = 0; i < blockers; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, block, NULL), 0);
    }
    test_await(&entered, blockers);
    pipe_put(&data, blockers);
    tuco_wg_wait(&wg);
    give_descriptors_back();
    return 0;
}

static void run_readers(int procs) {
    int blockers = 2 * procs;
    use_procs(procs);
    pipe_open(&data);
    ASSERT_EQ(tuco_run(read_main, &blockers), 0);
}

TEST(read_at_1) {
    run_readers(1);
}

TEST(read_at_2) {
    run_readers(2);
}
