/* SPDX-License-Identifier: MIT */
/* Proves: a foreign thread blocked in the library does not count as a goroutine, and does
   not block goroutines. */
#include "gate.h"

static int run_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    tuco_wg wg = {0};
    tuco_wg_add(&gate, 1);
    test_thread_start(&thread, gate_wait, NULL);
    test_await(&gate_reached, 1);
    for (int i = 0; i < 100; i++) {
        tuco_yield();
        ASSERT_EQ(tuco_count(), 1);
    }
    ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    tuco_wg_wait(&wg);
    tuco_wg_done(&gate);
    test_thread_join(&thread);
    return 0;
}

TEST(not_counted) {
    RUN(run_main);
}
