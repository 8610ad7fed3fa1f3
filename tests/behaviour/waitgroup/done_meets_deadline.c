/* SPDX-License-Identifier: MIT */
/* Proves: the last done releases all waiters, with and without a deadline, while others
   time out; the last waiter to return may free the group. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAITERS 4
#define ROUNDS  TEST_SIZE(3000, 300)

struct shared {
    tuco_wg wg;
    atomic_int users;
};

static tuco_wg end;

static void leave(struct shared *s) {
    if (atomic_fetch_sub(&s->users, 1) == 1) {
        memset(s, 0xff, sizeof *s);
        free(s);
    }
}

static void wait_some(void *arg) {
    struct shared *s = arg;
    for (int i = 1;; i++) {
        int r = tuco_wg_wait_until(&s->wg, tuco_deadline(i * 3 * TUCO_MICROSECOND));
        if (r == 0) {
            break;
        }
        ASSERT_EQ(r, -ETIMEDOUT);
    }
    leave(s);
}

static void wait_for_ever(void *arg) {
    struct shared *s = arg;
    tuco_wg_wait(&s->wg);
    leave(s);
}

/* Does not count as a user: it must not touch the group after its done. */
static void count_down(void *arg) {
    struct shared *s = arg;
    tuco_wg_done(&s->wg);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct shared *s = calloc(1, sizeof *s);
        atomic_store(&s->users, WAITERS);
        tuco_wg_add(&s->wg, 2);
        for (int k = 0; k < WAITERS; k++) {
            ASSERT_EQ(tuco_wg_go(&end, k % 2 ? wait_some : wait_for_ever, s), 0);
        }
        ASSERT_EQ(tuco_wg_go(&end, count_down, s), 0);
        if (i % 2 == 0) {
            tuco_yield();
        }
        ASSERT_EQ(tuco_wg_go(&end, count_down, s), 0);
        if (i % 4 == 0) {
            tuco_wg_wait(&end);
        }
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(done_meets_deadline) {
    RUN(run_main);
}
