/* SPDX-License-Identifier: MIT */
/* Proves: when the deadline of a waiter passes, waiters with a later deadline or none
   keep waiting, in whatever order they arrived. */
#include "test.h"

#include <errno.h>

#define SHORT  (2 * TUCO_MILLISECOND)
#define ROUNDS 6

static tuco_wg group;
static tuco_wg end;

static void wait_short(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_wait_until(&group, tuco_deadline(SHORT)), -ETIMEDOUT);
}

static void wait_long(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_wait_until(&group, tuco_deadline(3600 * TUCO_SECOND)), 0);
}

static void wait_for_ever(void *arg) {
    (void)arg;
    tuco_wg_wait(&group);
}

static int run_main(void *arg) {
    static tuco_fn *const kinds[] = {wait_short, wait_long, wait_for_ever};
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        tuco_wg_add(&group, 1);
        for (int i = 0; i < 6; i++) { /* each kind starts and ends the list */
            ASSERT_EQ(tuco_wg_go(&end, kinds[(i + round) % 3], NULL), 0);
            tuco_yield();
        }
        /* In some rounds the latest record, which has the chain, belongs to a short
           wait. */
        ASSERT_EQ(tuco_wg_go(&end, wait_for_ever, NULL), 0);
        tuco_yield();
        tuco_sleep(3 * SHORT);
        while (tuco_count() > 6) { /* both short waits have ended: main and five remain */
            tuco_yield();
        }
        ASSERT_EQ(tuco_count(), 6);
        tuco_wg_done(&group);
        tuco_wg_wait(&end);
    }
    return 0;
}

TEST(one_deadline_of_several) {
    RUN(run_main);
}
