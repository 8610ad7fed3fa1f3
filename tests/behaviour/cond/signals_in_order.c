/* SPDX-License-Identifier: MIT */
/* Proves: each signal wakes the waiter that has waited longest. (CV-02) */
#include "waiting.h"

#define COUNT 100

static tuco_mutex m;
static tuco_cond c;
static tuco_cond told;
static tuco_wg end;
static int waiting; /* under m, as all below */
static int woken = -1;

static void wait_in_line(void *arg) {
    int i = (int)(intptr_t)arg;
    tuco_mutex_lock(&m);
    waiting++;
    tuco_cond_signal(&told);
    tuco_cond_wait(&c, &m);
    ASSERT_EQ(woken, i - 1);
    woken = i;
    tuco_cond_signal(&told);
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_in_line, (void *)(intptr_t)i), 0);
        while (waiting <= i) {
            tuco_cond_wait(&told, &m); // the waiter holds m until it is in the queue
        }
    }
    for (int i = 0; i < COUNT; i++) {
        tuco_cond_signal(&c);
        while (woken < i) {
            tuco_cond_wait(&told, &m);
        }
        ASSERT_EQ(woken, i);
    }
    tuco_mutex_unlock(&m);
    tuco_wg_wait(&end);
    return 0;
}

TEST(signals_in_order) {
    RUN(run_main);
}
