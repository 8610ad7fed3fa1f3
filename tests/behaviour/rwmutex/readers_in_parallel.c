/* SPDX-License-Identifier: MIT */
/* Proves: readers that compute have the lock at the same time, each on its processor.
   (RW-01) */
/* fixed procs */
#include "test.h"

static tuco_rwmutex rw;
static tuco_wg end;
static atomic_int inside;
static int readers;

static void read_spinning(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    atomic_fetch_add(&inside, 1);
    test_spin(&inside, readers);
    tuco_rwmutex_runlock(&rw);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < readers; i++) {
        ASSERT_EQ(tuco_wg_go(&end, read_spinning, NULL), 0);
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(one_of_four) {
    test_setenv("TUCOPROCS", "4");
    readers = 1;
    RUN(run_main);
}

TEST(three_of_four) {
    test_setenv("TUCOPROCS", "4");
    readers = 3;
    RUN(run_main);
}

TEST(four_of_five) {
    test_setenv("TUCOPROCS", "5");
    readers = 4;
    RUN(run_main);
}
