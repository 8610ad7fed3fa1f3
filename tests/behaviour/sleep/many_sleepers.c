/* SPDX-License-Identifier: MIT */
/* Proves: 50,000 goroutines that sleep at once all wake, none early, whether their times
   are equal or spread; and a sleep allocates nothing. */
#include "test.h"
#include "fault.h"

#define SLEEPERS TEST_SIZE(50000, 2000)
#define SPREAD   (200 * TUCO_MILLISECOND)
#define ROUNDS   1000

/* Sysmon may start a thread meanwhile, which allocates. */
#define OTHERS 20

static tuco_wg all;
static tuco_time together;
static atomic_int woken;

static void sleep_spread(void *arg) {
    tuco_time span = (tuco_time)(uintptr_t)arg * UINT64_C(2654435761) % SPREAD;
    tuco_time begin = tuco_now();
    tuco_sleep(span);
    ASSERT_GE(tuco_now(), begin + span);
    atomic_fetch_add(&woken, 1);
}

static void sleep_together(void *arg) {
    (void)arg;
    tuco_sleep_until(together);
    ASSERT_GE(tuco_now(), together);
    atomic_fetch_add(&woken, 1);
}

static void spawn_all(tuco_fn *fn) {
    for (int i = 0; i < SLEEPERS; i++) {
        ASSERT_EQ(tuco_wg_go(&all, fn, (void *)(uintptr_t)i), 0);
    }
    tuco_wg_wait(&all);
    ASSERT_EQ(atomic_load(&woken), SLEEPERS);
}

static int spread_main(void *arg) {
    (void)arg;
    spawn_all(sleep_spread);
    return 0;
}

TEST(spread) {
    RUN(spread_main);
}

static int together_main(void *arg) {
    (void)arg;
    together = tuco_deadline(SPREAD);
    spawn_all(sleep_together);
    return 0;
}

TEST(at_one_moment) {
    RUN(together_main);
}

static int steady_main(void *arg) {
    (void)arg;
    tuco_sleep(1);
    int before = test_fault_calls(OS_FAULT_ALLOC);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_sleep(1);
    }
    ASSERT_LE(test_fault_calls(OS_FAULT_ALLOC), before + OTHERS);
    return 0;
}

TEST(no_allocation) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, 1); // counts, and fails none
    RUN(steady_main);
}
