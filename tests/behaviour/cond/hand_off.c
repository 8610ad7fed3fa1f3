/* SPDX-License-Identifier: MIT */
/* Proves: two goroutines pass a value back and forth by signals, whichever is spawned
   first. (CV-05) */
#include "test.h"

#define ROUNDS TEST_SIZE(500, 100)

static tuco_mutex m;
static tuco_cond c;
static tuco_wg end;
static int value; /* under m */

static void set_one(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    value = 1;
    tuco_cond_wait(&c, &m);
    ASSERT_EQ(value, 2);
    value = 3;
    tuco_cond_signal(&c);
    tuco_mutex_unlock(&m);
}

static void await_one(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    while (value != 1) {
        tuco_mutex_unlock(&m);
        tuco_yield();
        tuco_mutex_lock(&m);
    }
    value = 2;
    tuco_cond_signal(&c); // set_one released m by joining the queue
    tuco_cond_wait(&c, &m);
    ASSERT_EQ(value, 3);
    value = 4;
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        value = 0;
        ASSERT_EQ(tuco_wg_go(&end, i % 2 ? set_one : await_one, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&end, i % 2 ? await_one : set_one, NULL), 0);
        tuco_wg_wait(&end);
        ASSERT_EQ(value, 4);
    }
    return 0;
}

TEST(hand_off) {
    RUN(run_main);
}
