/* SPDX-License-Identifier: MIT */
/* Proves: all readers can hold the lock at the same time. (RW-01) */
#include "test.h"

static tuco_rwmutex rw;
static tuco_wg all_inside;
static tuco_wg end;

/* Waits in the library, so that one processor is enough for any number of readers. */
static void read_waiting(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    tuco_wg_done(&all_inside);
    tuco_wg_wait(&all_inside);
    tuco_rwmutex_runlock(&rw);
}

static void share(int readers) {
    tuco_wg_add(&all_inside, readers);
    for (int i = 0; i < readers; i++) {
        ASSERT_EQ(tuco_wg_go(&end, read_waiting, NULL), 0);
    }
    tuco_wg_wait(&end);
    tuco_rwmutex_lock(&rw); // all readers have unlocked
    tuco_rwmutex_unlock(&rw);
}

static int run_main(void *arg) {
    (void)arg;
    share(1);
    share(3);
    share(4);
    share(100);
    return 0;
}

TEST(readers_share) {
    RUN(run_main);
}
