/* SPDX-License-Identifier: MIT */
/* Proves: tuco_preempt_on without tuco_preempt_off ends the process with a message that
   names the goroutine. */
#include "test.h"

#define MESSAGE "panic: tuco_preempt_on without tuco_preempt_off"

static tuco_wg wg;

static int on_only_main(void *arg) {
    (void)arg;
    tuco_preempt_on();
    return 0;
}

static int on_twice_main(void *arg) {
    (void)arg;
    tuco_preempt_off();
    tuco_preempt_off();
    tuco_preempt_on();
    tuco_preempt_on();
    tuco_preempt_on();
    return 0;
}

static void switch_on(void *arg) {
    (void)arg;
    tuco_preempt_on();
}

/* The state belongs to the goroutine, not to the thread. */
static int on_for_another_main(void *arg) {
    (void)arg;
    tuco_preempt_off();
    ASSERT_EQ(tuco_wg_go(&wg, switch_on, NULL), 0);
    tuco_wg_wait(&wg);
    tuco_preempt_on();
    return 0;
}

TEST(preempt_on_without_off) {
    RUN_DIES(on_only_main, MESSAGE);
    RUN_DIES(on_only_main, "goroutine 1 [running]:");
    RUN_DIES(on_twice_main, MESSAGE);
}

TEST(for_another) {
    RUN_DIES(on_for_another_main, MESSAGE);
    RUN_DIES(on_for_another_main, "goroutine 2 [running]:");
}
