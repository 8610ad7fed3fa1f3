/* SPDX-License-Identifier: MIT */
/* Proves: a broadcast wakes all waiters, goroutines and threads, and no waiter that comes
   later. */
#include "test.h"

#define GOROUTINES 50
#define THREADS    3
#define ALL        (GOROUTINES + THREADS)
#define ROUNDS     10

static tuco_mutex m;
static tuco_cond c;
static tuco_cond told;
static tuco_wg end;
static int waiting; /* under m, as all below */
static int woken;
static int generation;

static void wait_rounds(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    for (int i = 0; i < ROUNDS; i++) {
        waiting++;
        tuco_cond_signal(&told);
        tuco_cond_wait(&c, &m);
        ASSERT_EQ(generation, i + 1);
        woken++;
        tuco_cond_signal(&told);
        while (woken < ALL * (i + 1)) {
            tuco_mutex_unlock(&m);
            tuco_yield();
            tuco_mutex_lock(&m);
        }
    }
    tuco_mutex_unlock(&m);
    tuco_wg_done(&end);
}

TEST(broadcast_wakes_all) {
    struct test_thread threads[THREADS];
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, ALL);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(wait_rounds, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], wait_rounds, NULL);
    }
    tuco_mutex_lock(&m);
    for (int i = 1; i <= ROUNDS; i++) {
        while (waiting < ALL * i) {
            tuco_cond_wait(&told, &m);
        }
        generation = i;
        tuco_cond_broadcast(&c);
    }
    tuco_mutex_unlock(&m);
    tuco_wg_wait(&end);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
