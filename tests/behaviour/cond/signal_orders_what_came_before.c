/* SPDX-License-Identifier: MIT */
/* Proves: a waiter sees all writes made before the signal or broadcast that ends its wait,
   although the signaller does not lock the mutex. */
#include "chans.h"

#define ROUNDS TEST_SIZE(500, 100)

static tuco_mutex m;
static tuco_cond c;
static int plain; /* ThreadSanitizer reports a missing ordering */

static void wait_once(void *value) {
    tuco_mutex_lock(&m);
    tuco_cond_wait(&c, &m);
    ASSERT_EQ(plain, (intptr_t)value);
    tuco_mutex_unlock(&m);
}

static void wait_with_deadline(void *value) {
    tuco_mutex_lock(&m);
    ASSERT_EQ(tuco_cond_wait_until(&c, &m, tuco_deadline(TUCO_HOUR)), 0);
    ASSERT_EQ(plain, (intptr_t)value);
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    tuco_wg end = {0};
    (void)arg;
    for (intptr_t i = 1; i <= ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, i & 1 ? wait_once : wait_with_deadline, (void *)i), 0);
        test_await_waiting(1);
        plain = (int)i;
        (i & 2 ? tuco_cond_signal : tuco_cond_broadcast)(&c);
        tuco_wg_wait(&end);
    }
    return 0;
}

TEST(signal_orders_what_came_before) {
    RUN(run_main);
}
