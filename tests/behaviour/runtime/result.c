/* SPDX-License-Identifier: MIT */
/* Proves: tuco_run runs main_fn(arg) on the calling thread and returns its result, each
   time it is called. */
#include "test.h"

static pthread_t caller;
static int seen_arg;

static int result_main(void *arg) {
    ASSERT(pthread_equal(pthread_self(), caller)); // until it first blocks or yields
    seen_arg = *(int *)arg;
    return seen_arg * 2;
}

TEST(result) {
    caller = pthread_self();
    static const int values[] = {0, 1, 21, -7};
    for (int i = 0; i < 4; i++) {
        int value = values[i];
        ASSERT_EQ(tuco_run(result_main, &value), 2 * values[i]);
        ASSERT_EQ(seen_arg, values[i]);
    }
}

static tuco_wg wg;

static void yield_some(void *arg) {
    (void)arg;
    for (int i = 0; i < 10; i++) {
        tuco_yield();
    }
}

static int busy_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, yield_some, NULL), 0);
    }
    tuco_wg_wait(&wg);
    test_await_alone();
    return 0;
}

TEST(run_returns_to_its_thread) {
    caller = pthread_self();
    for (int i = 0; i < 50; i++) {
        RUN(busy_main);
        ASSERT(pthread_equal(pthread_self(), caller));
    }
}
