/* SPDX-License-Identifier: MIT */
/* Proves: at one processor the goroutine spawned last runs first, the others in their
   order. */
/* fixed procs */
/* not under race */
#include "test.h"

#define COUNT 5

static tuco_wg wg;
static int order[COUNT];
static int ran;

static void append(void *arg) {
    order[ran++] = *(int *)arg;
}

static int run_main(void *arg) {
    (void)arg;
    static int numbers[COUNT] = {1, 2, 3, 4, 5};
    static const int wanted[COUNT] = {5, 1, 2, 3, 4};
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, append, &numbers[i]), 0);
    }
    ASSERT_EQ(ran, 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(ran, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(order[i], wanted[i]);
    }
    return 0;
}

TEST(spawn_order) {
    test_setenv("TUCOPROCS", "1");
    test_setenv("TUCODEBUG", NULL);
    tuco_config config = {.slice = 60 * TUCO_SECOND}; // its end would change the order
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
