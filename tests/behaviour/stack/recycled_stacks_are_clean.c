/* SPDX-License-Identifier: MIT */
/* Proves: stacks that are recycled among goroutines of different depth are never
   shared. */
#include "test.h"

#define ROUNDS     4
#define COUNT      200
#define UNIT_BYTES 4096
#define UNITS_MAX  16

static tuco_wg wg;
static tuco_wg gate;
static atomic_int arrived;

/* Each unit of stack is stamped on the way down and checked on the way back, with all
   others live. */
__attribute__((noinline)) static void use_units(int units, int stamp) {
    volatile char unit[UNIT_BYTES];
    for (int i = 0; i < UNIT_BYTES; i++) {
        unit[i] = (char)(stamp + units);
    }
    if (units > 1) {
        use_units(units - 1, stamp);
    } else {
        atomic_fetch_add(&arrived, 1);
        tuco_wg_wait(&gate);
    }
    for (int i = 0; i < UNIT_BYTES; i++) {
        ASSERT_EQ(unit[i], (char)(stamp + units));
    }
}

static void body(void *arg) {
    int number = (int)(intptr_t)arg;
    int units = 1;
    for (int i = 0; i < number % 5; i++) {
        units *= 2;
    }
    ASSERT_LE(units, UNITS_MAX);
    use_units(units, number);
}

static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&arrived, 0);
        tuco_wg_add(&gate, 1);
        for (intptr_t i = 0; i < COUNT; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, body, (void *)(i + round)), 0);
        }
        test_await(&arrived, COUNT);
        tuco_wg_done(&gate);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(recycled_stacks_are_clean) {
    RUN(run_main);
}
