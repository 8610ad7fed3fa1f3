/* SPDX-License-Identifier: MIT */
/* Proves: two goroutines that change the number of processors a thousand times each both
   end, beside a chain of goroutines that each spawn the next. */
#include "test.h"

#define CALLS TEST_SIZE(1000, 200)

static tuco_wg callers;
static tuco_wg starters;
static atomic_int over;

static void start_again(void *arg) {
    if (atomic_load(&over) == 0) {
        ASSERT_EQ(tuco_wg_go(&starters, start_again, arg), 0);
    }
}

static void set_three(void *arg) {
    (void)arg;
    for (int i = 0; i < CALLS; i++) {
        int before = tuco_procs(3);
        ASSERT(before >= 1 && before <= 6);
    }
}

static void set_in_turn(void *arg) {
    (void)arg;
    for (int i = 0; i < CALLS; i++) {
        int before = tuco_procs(1 + i % 6);
        ASSERT(before >= 1 && before <= 6);
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_GE(tuco_procs(4), 1);
    ASSERT_EQ(tuco_wg_go(&starters, start_again, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&callers, set_three, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&callers, set_in_turn, NULL), 0);
    tuco_wg_wait(&callers);
    atomic_store(&over, 1);
    tuco_wg_wait(&starters);
    return 0;
}

TEST(two_callers) {
    RUN(run_main);
}
