/* SPDX-License-Identifier: MIT */
/* Proves: the main goroutine sees what the caller of tuco_run() wrote, and what the caller
   of the last tuco_configure() wrote; tuco_run() and tuco_stop() return after all writes
   of all goroutines. */
#include "test.h"

#define GOROUTINES 8
#define ROUNDS     TEST_SIZE(20, 5)

static int by_caller, by_main, by_others[GOROUTINES], by_configurer; /* plain */

/* Relaxed everywhere: it must not create the ordering. */
static atomic_int configured;

static void write_late(void *arg) {
    (void)arg;
    by_main++;
}

static void write_other(void *slot) {
    tuco_yield();
    ++*(int *)slot;
}

static void start_others(void) {
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(write_other, &by_others[i]), 0);
    }
}

static void expect_others(int value) {
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(by_others[i], value);
    }
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(by_caller, by_main + 1);
    ASSERT_EQ(tuco_defer(write_late, NULL), 0);
    start_others();
    while (tuco_count() > 1) {
        tuco_yield();
    }
    return 0;
}

TEST(run_orders) {
    for (int i = 1; i <= ROUNDS; i++) {
        by_caller = i;
        RUN(run_main);
        ASSERT_EQ(by_main, i);
        expect_others(i);
    }
}

TEST(stop_orders) {
    for (int i = 1; i <= ROUNDS; i++) {
        ASSERT_EQ(tuco_start(), 0);
        start_others();
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        expect_others(i);
    }
}

static void configure(void *arg) {
    (void)arg;
    by_configurer = 1;
    ASSERT_EQ(tuco_configure(&(tuco_config){.procs = 2}), 0);
    atomic_store_explicit(&configured, 1, memory_order_relaxed);
}

static int configured_main(void *arg) {
    (void)arg;
    ASSERT_EQ(by_configurer, 1);
    return 0;
}

TEST(configure_orders) {
    struct test_thread t;
    test_thread_start(&t, configure, NULL);
    while (atomic_load_explicit(&configured, memory_order_relaxed) == 0) {
        sched_yield();
    }
    RUN(configured_main);
    test_thread_join(&t);
}
