/* SPDX-License-Identifier: MIT */
/* Proves: a signal that meets a deadline is not lost: either the wait with the deadline
   returns 0, or another wait without a deadline does. */
#include "test.h"

#include <errno.h>

#define ROUNDS TEST_SIZE(3000, 300)

static tuco_mutex m;
static tuco_cond c;
static tuco_wg end;
static int waiting; /* under m, as all below */
static int signalled;

static void wait_impatiently(void *arg) {
    int round = (int)(intptr_t)arg;
    tuco_mutex_lock(&m);
    waiting++;
    int r = tuco_cond_wait_until(&c, &m, tuco_deadline(round % 100 * TUCO_MICROSECOND));
    ASSERT(r == 0 || r == -ETIMEDOUT);
    signalled += r == 0;
    tuco_mutex_unlock(&m);
}

static void wait_patiently(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    waiting++;
    tuco_cond_wait(&c, &m);
    signalled++;
    tuco_mutex_unlock(&m);
}

/* When the signal is given, both waiters have joined the queue, mostly the impatient
   waiter first. */
static void one_round(intptr_t round) {
    waiting = signalled = 0;
    ASSERT_EQ(tuco_wg_go(&end, wait_patiently, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&end, wait_impatiently, (void *)round), 0);
    tuco_mutex_lock(&m);
    while (waiting < 2) {
        tuco_mutex_unlock(&m);
        tuco_yield();
        tuco_mutex_lock(&m);
    }
    tuco_cond_signal(&c);
    tuco_mutex_unlock(&m);
    for (int seen = 0; seen == 0; tuco_yield()) {
        tuco_mutex_lock(&m);
        seen = signalled;
        tuco_mutex_unlock(&m);
    }
    tuco_mutex_lock(&m);
    tuco_cond_broadcast(&c); // for the patient waiter, if the other got the signal
    tuco_mutex_unlock(&m);
    tuco_wg_wait(&end);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        one_round(i);
    }
    return 0;
}

TEST(signal_meets_deadline) {
    RUN(run_main);
}
