/* SPDX-License-Identifier: MIT */
/* Proves: while interrupted goroutines hold the lock of the only malloc() arena, the
   runtime still works: timers, contexts, large selects, bursts of new goroutines,
   pools. */
/* fixed procs */
/* not under asan */
/* not under qemu */
/* slow */
#include "chans.h"
#include "hogs.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#define HOGS  4
#define CASES 20  /* more than a select has room for on its stack */
#define BURST 600 /* more than two rings */

/* Larger blocks come directly from the kernel. */
#define MOST 60000

/* The C library caches free blocks per thread and takes no lock for them. This disables
   the cache, which is possible only before the program starts. */
#define TUNABLES "GLIBC_TUNABLES"

__attribute__((constructor)) static void start_again(int argc, char **argv) {
    (void)argc;
    if (getenv(TUNABLES) == NULL) {
        setenv(TUNABLES, "glibc.malloc.tcache_count=0", 1);
        execv("/proc/self/exe", argv);
        _exit(1);
    }
}

#define ROUNDS 3 /* of each use, however long they take */

static tuco_wg hogs_wg;
static tuco_wg uses_wg;
static atomic_int uses_over;

static void hog(void *arg) {
    uint32_t seed = (uint32_t)(intptr_t)arg;
    while (atomic_load(&uses_over) == 0) {
        seed = seed * 1664525 + 1013904223;
        char *block = malloc(1 + (seed >> 8) % MOST);
        ASSERT(block != NULL);
        *(volatile char *)block = 1;
        free(block);
    }
}

/* The handle is freed at about the time the timer fires. */
static void use_timers(void) {
    tuco_timer *t = tuco_timer_func(20 * TUCO_MICROSECOND, test_return_at_once, NULL);
    ASSERT(t != NULL);
    tuco_chan *c = tuco_after(10 * TUCO_MICROSECOND);
    ASSERT(c != NULL);
    ASSERT_EQ(tuco_chan_recv(c, NULL), 0);
    tuco_chan_unref(c);
    tuco_timer_free(t);
}

static void use_contexts(void) {
    tuco_ctx *ctx = tuco_ctx_with_timeout(tuco_ctx_background(), 20 * TUCO_MICROSECOND);
    ASSERT(ctx != NULL);
    tuco_ctx *below = tuco_ctx_with_cancel(ctx);
    ASSERT(below != NULL);
    tuco_ctx_after *after = tuco_ctx_after_make(below, test_return_at_once, NULL);
    ASSERT(after != NULL);
    tuco_ctx_after_free(after); // the runtime frees it when it calls the function
    ASSERT_EQ(tuco_chan_recv(tuco_ctx_done(below), NULL), -EPIPE);
    tuco_ctx_unref(below);
    tuco_ctx_unref(ctx);
}

static void use_select(void) {
    tuco_case cases[CASES];
    tuco_chan *chans[CASES];
    for (int i = 0; i < CASES; i++) {
        chans[i] = CHAN(int, 0);
        cases[i] = (tuco_case)TUCO_RECV(chans[i], NULL);
    }
    ASSERT_EQ(tuco_select_until(cases, CASES, tuco_deadline(10 * TUCO_MICROSECOND)),
              -ETIMEDOUT);
    for (int i = 0; i < CASES; i++) {
        tuco_chan_unref(chans[i]);
    }
}

static void use_spawn(void) {
    tuco_wg burst = {0};
    for (int i = 0; i < BURST; i++) {
        ASSERT_EQ(tuco_wg_go(&burst, test_return_at_once, NULL), 0);
    }
    tuco_wg_wait(&burst);
}

static void use_pool(void) {
    static char object;
    tuco_pool *pool = tuco_pool_make(NULL, NULL, NULL);
    ASSERT(pool != NULL);
    tuco_pool_put(pool, &object);
    (void)tuco_pool_get(pool);
    tuco_pool_free(pool);
}

static void (*const uses[])(void) = {use_timers, use_contexts, use_select, use_spawn,
                                     use_pool};

#define USES (sizeof(uses) / sizeof(uses[0]))

/* Sleeps in between, so that the uses take turns. */
static void use(void *arg) {
    size_t i = (size_t)(intptr_t)arg;
    tuco_time end = hog_clock() + hog_span();
    for (int rounds = 0; rounds < ROUNDS || hog_clock() < end; rounds++) {
        uses[i]();
        tuco_sleep(50 * TUCO_MICROSECOND);
    }
}

/* If a use waits for the heap, it never ends. */
static int run_main(void *arg) {
    (void)arg;
    for (intptr_t i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&hogs_wg, hog, (void *)i), 0);
    }
    for (size_t i = 0; i < USES; i++) {
        ASSERT_EQ(tuco_wg_go(&uses_wg, use, (void *)(intptr_t)i), 0);
    }
    tuco_wg_wait(&uses_wg);
    atomic_store(&uses_over, 1);
    tuco_wg_wait(&hogs_wg);
    return 0;
}

static void run_at(int procs) {
    hogs_use(procs);
    ASSERT_EQ(mallopt(M_ARENA_MAX, 1), 1);
    RUN(run_main);
}

TEST(at_1) {
    run_at(1);
}

TEST(at_2) {
    run_at(2);
}
