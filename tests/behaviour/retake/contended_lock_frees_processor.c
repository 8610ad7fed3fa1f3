/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that wait for a lock of the C library keep no processor, whether a
   thread or a goroutine holds the lock. */
/* fixed procs */
#include "pipes.h"

static tuco_wg wg;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pipe_ends release;
static atomic_int held;
static atomic_int entered;
static int passed; /* lock */
static int waiters;

static void hold(void *arg) {
    (void)arg;
    ASSERT_EQ(pthread_mutex_lock(&lock), 0);
    atomic_store(&held, 1);
    pipe_take(&release);
    ASSERT_EQ(passed, 0);
    ASSERT_EQ(pthread_mutex_unlock(&lock), 0);
}

static void pass(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    ASSERT_EQ(pthread_mutex_lock(&lock), 0);
    passed++;
    ASSERT_EQ(pthread_mutex_unlock(&lock), 0);
}

static int run_main(void *arg) {
    (void)arg;
    test_await(&held, 1);
    for (int i = 0; i < waiters; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, pass, NULL), 0);
    }
    test_await(&entered, waiters); // main runs: no waiter keeps the last processor
    pipe_put(&release, 1);
    tuco_wg_wait(&wg);
    ASSERT_EQ(passed, waiters);
    return 0;
}

static int held_by_goroutine_main(void *arg) {
    ASSERT_EQ(tuco_wg_go(&wg, hold, NULL), 0);
    return run_main(arg);
}

static void run_with(int procs) {
    struct test_thread holder;
    use_procs(procs);
    pipe_open(&release);
    waiters = 2 * procs;
    test_thread_start(&holder, hold, NULL);
    RUN(run_main);
    test_thread_join(&holder);
}

TEST(held_by_a_thread_at_1) {
    run_with(1);
}

TEST(held_by_a_thread_at_4) {
    run_with(4);
}

TEST(held_by_a_goroutine) {
    use_procs(1);
    pipe_open(&release);
    waiters = 4;
    RUN(held_by_goroutine_main);
}
