/* SPDX-License-Identifier: MIT */
/* Proves: on a thread that is not the runtime's, the calls about blocking, preemption and
   wiring do nothing, balanced or not, with and without a runtime. */
#include "test.h"

static tuco_wg wg;

static void call_all(void *arg) {
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        tuco_blocking_enter();
        tuco_blocking_enter();
        tuco_blocking_exit();
        tuco_blocking_exit();
    }
    tuco_blocking_exit();
    tuco_checkpoint();
    tuco_preempt_on();
    tuco_preempt_off();
    tuco_unlock_thread();
    tuco_lock_thread();
    ASSERT_EQ(tuco_id(), 0);
}

static void work(void *arg) {
    (void)arg;
    for (int i = 0; i < 1000; i++) {
        tuco_yield();
    }
}

static int run_main(void *arg) {
    ASSERT_EQ(tuco_wg_go(&wg, work, NULL), 0);
    test_threads_run(4, call_all, arg);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(beside_a_runtime) {
    RUN(run_main);
}

TEST(without_a_runtime) {
    call_all(NULL);
}
