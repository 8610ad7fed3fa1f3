/* SPDX-License-Identifier: MIT */
/* Proves: tuco_count() returns the number of live goroutines: 1 at the start, +n after n
   spawns, 1 after their end. */
#include "test.h"

#define COUNT 500

static tuco_wg gate;
static tuco_wg started;

static void hold(void *arg) {
    (void)arg;
    tuco_wg_done(&started);
    tuco_wg_wait(&gate);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_count(), 1);
    tuco_wg_add(&gate, 1);
    tuco_wg_add(&started, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_go(hold, NULL), 0);
        ASSERT_EQ(tuco_count(), i + 2); // from the spawn on, not from the first run on
    }
    tuco_wg_wait(&started);
    ASSERT_EQ(tuco_count(), COUNT + 1);
    ASSERT_EQ(test_dump_entries(test_dump()), COUNT + 1);
    tuco_wg_done(&gate);
    test_await_alone();
    return 0;
}

TEST(counts) {
    ASSERT_EQ(tuco_count(), 0);
    RUN(run_main);
    ASSERT_EQ(tuco_count(), 0);
}
