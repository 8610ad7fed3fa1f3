/* SPDX-License-Identifier: MIT */
/* Proves: no deadlock is reported while an announced thread, or the program of a started
   runtime, may act. */
#include "test.h"

#include <time.h>

static tuco_wg gate;
static atomic_int announced;

/* The pause is not there to synchronise: it gives a false report the time to appear. */
static void let_a_report_appear(void) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * TUCO_MILLISECOND}, NULL);
}

static void wait_at_gate(void *arg) {
    (void)arg;
    tuco_wg_wait(&gate);
}

static void open_late(void *arg) {
    (void)arg;
    tuco_foreign_enter();
    tuco_foreign_enter(); // nests
    tuco_foreign_exit();
    atomic_store(&announced, 1);
    let_a_report_appear();
    tuco_wg_done(&gate);
    tuco_foreign_exit();
}

static int run_main(void *arg) {
    struct test_thread thread;
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, open_late, NULL);
    test_await(&announced, 1);
    wait_at_gate(arg);
    test_thread_join(&thread);
    return 0;
}

TEST(announced_thread) {
    RUN(run_main);
}

TEST(started_runtime) {
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_go(wait_at_gate, NULL), 0);
    let_a_report_appear();
    tuco_wg_done(&gate);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
