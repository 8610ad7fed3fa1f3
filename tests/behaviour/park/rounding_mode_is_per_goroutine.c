/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine keeps its floating-point rounding mode, and starts with the default
   one. */
#include "test.h"
#include "rounding.h"

#define PER_MODE 8
#define ROUNDS   200

static tuco_wg wg;
static volatile double one = 1.0;
static volatile double three = 3.0;

/* Out of line, of volatile numbers: divided here and now, in the mode of the moment. */
__attribute__((noinline)) static double divide(void) {
    return one / three;
}

static void body(void *arg) {
    unsigned mode = (unsigned)(uintptr_t)arg % TEST_ROUNDING_MODES;
    ASSERT_EQ(test_rounding_get(), 0);
    test_rounding_set(mode);
    double third = divide();
    for (int i = 0; i < ROUNDS; i++) {
        tuco_yield();
        ASSERT_EQ(test_rounding_get(), mode);
        ASSERT(divide() == third);
    }
}

/* Ends at once: the next goroutine may get the same thread, and even the same stack. */
static void leave_mode_behind(void *arg) {
    (void)arg;
    ASSERT_EQ(test_rounding_get(), 0);
    test_rounding_set(3);
}

static int run_main(void *arg) {
    (void)arg;
    test_rounding_set(1);
    double first = divide();
    test_rounding_set(2);
    double second = divide();
    ASSERT(first != second); // one rounds up and one rounds down
    for (uintptr_t i = 0; i < TEST_ROUNDING_MODES * PER_MODE; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, body, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, leave_mode_behind, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(test_rounding_get(), 2);
    ASSERT(divide() == second);
    return 0;
}

TEST(rounding_mode_is_per_goroutine) {
    RUN(run_main);
}
