/* SPDX-License-Identifier: MIT */
/* Proves: if the processor that keeps a timer computes, another one wakes the sleeper;
   with one processor, goroutines that yield do. */
/* fixed procs */
#include "test.h"

#define SPAN (5 * TUCO_MILLISECOND)

static atomic_int woken;

static void sleep_a_little(void *arg) {
    (void)arg;
    tuco_sleep(SPAN);
    atomic_store(&woken, 1);
}

static void use_procs(int procs) {
    tuco_config config = {.procs = procs};
    ASSERT_EQ(tuco_configure(&config), 0);
}

/* The sleeper parks on this processor, which then never checks its timers. */
static int computing_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(sleep_a_little, NULL), 0);
    tuco_yield();
    test_spin(&woken, 1);
    return 0;
}

TEST(others_are_late_for_it) {
    use_procs(2);
    RUN(computing_main);
}

static int yielding_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(sleep_a_little, NULL), 0);
    test_await(&woken, 1);
    return 0;
}

TEST(yielding) {
    use_procs(1);
    RUN(yielding_main);
}

static void yield_until_woken(void *arg) {
    (void)arg;
    test_await(&woken, 1);
}

static int crowd_main(void *arg) {
    tuco_wg wg = {0};
    for (int i = 0; i < 10; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, yield_until_woken, NULL), 0);
    }
    yielding_main(arg);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(crowd_that_yields) {
    use_procs(1);
    RUN(crowd_main);
}
