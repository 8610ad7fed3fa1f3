/* SPDX-License-Identifier: MIT */
/* Proves: the report held back for a thread comes when the thread takes its announcement
   back. */
#include "test.h"

#include <time.h>

static tuco_wg never;
static atomic_int announced;

static void promise_and_leave(void *arg) {
    (void)arg;
    tuco_foreign_enter();
    atomic_store(&announced, 1);
    /* So that main is asleep by then; if it is not, the report comes from its own
       wait. */
    nanosleep(&(struct timespec){.tv_nsec = 20 * TUCO_MILLISECOND}, NULL);
    tuco_foreign_exit();
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    tuco_wg_add(&never, 1);
    test_thread_start(&thread, promise_and_leave, NULL);
    test_await(&announced, 1);
    tuco_wg_wait(&never);
    return 0;
}

TEST(announcement_ends) {
    RUN_DIES(run_main, "fatal error: all goroutines are asleep - deadlock!");
}

/* A thread that only exists has promised nothing. */
static atomic_int alive;

static void exist(void *arg) {
    (void)arg;
    atomic_store(&alive, 1);
    atomic_int never_set = 0;
    test_spin(&never_set, 1);
}

static int beside_thread_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    tuco_wg_add(&never, 1);
    test_thread_start(&thread, exist, NULL);
    test_await(&alive, 1);
    tuco_wg_wait(&never);
    return 0;
}

TEST(silent_thread_does_not_hide_it) {
    RUN_DIES(beside_thread_main, "fatal error: all goroutines are asleep - deadlock!");
}
