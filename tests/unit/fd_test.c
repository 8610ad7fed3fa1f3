/* SPDX-License-Identifier: MIT */
/* Proves: turns are taken one at a time, in order of arrival, and a close ends all
   waits. */
#include "test.h"
#include "net/fd.h"

#include <errno.h>

#define TAKERS 4

static struct {
    struct rt_fdmutex turn;
    int order[TAKERS]; /* written by the holder of the turn */
    int count;
    int results[TAKERS];
} shared;

static int queued(void) {
    int n = 0;
    rt_spin_lock(&shared.turn.lock);
    for (struct rt_waiter *w = rt_load_rlx(&shared.turn.queue.first); w != NULL;
         w = w->next) {
        n++;
    }
    rt_spin_unlock(&shared.turn.lock);
    return n;
}

static void take_one(void *arg) {
    int number = (int)(intptr_t)arg;
    int result = rt_fdmutex_take(&shared.turn, NULL);
    shared.results[number] = result;
    if (result == 0) {
        shared.order[shared.count++] = number;
        rt_fdmutex_pass(&shared.turn);
    }
}

/* Makes all threads wait, in this order, for the caller's turn to end. */
static void queue_up(struct test_thread *threads) {
    ASSERT_EQ(rt_fdmutex_take(&shared.turn, NULL), 0);
    for (int i = 0; i < TAKERS; i++) {
        test_thread_start(&threads[i], take_one, (void *)(intptr_t)i);
        while (queued() <= i) {
            sched_yield();
        }
    }
}

static void join_all(struct test_thread *threads) {
    for (int i = 0; i < TAKERS; i++) {
        test_thread_join(&threads[i]);
    }
}

TEST(in_order) {
    struct test_thread threads[TAKERS];
    queue_up(threads);
    rt_fdmutex_pass(&shared.turn);
    join_all(threads);
    ASSERT_EQ(shared.count, TAKERS);
    for (int i = 0; i < TAKERS; i++) {
        ASSERT_EQ(shared.order[i], i);
        ASSERT_EQ(shared.results[i], 0);
    }
    ASSERT(!shared.turn.taken);
}

TEST(close_sends_all_away) {
    struct test_thread threads[TAKERS];
    queue_up(threads);
    rt_fdmutex_close(&shared.turn);
    join_all(threads); // although the turn has not ended
    ASSERT_EQ(shared.count, 0);
    for (int i = 0; i < TAKERS; i++) {
        ASSERT_EQ(shared.results[i], -ECANCELED);
    }
    rt_fdmutex_pass(&shared.turn);
    ASSERT_EQ(rt_fdmutex_take(&shared.turn, NULL), -ECANCELED);
}

#define GOROUTINES 8
#define ROUNDS     TEST_SIZE(20000, 2000)

static long plain; /* accessed by the holder of the turn */

static void add_up(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(rt_fdmutex_take(&shared.turn, NULL), 0);
        long before = plain;
        if (i % 64 == 0) {
            tuco_yield();
        }
        plain = before + 1;
        rt_fdmutex_pass(&shared.turn);
    }
    tuco_wg_done(arg);
}

static int add_up_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    tuco_wg_add(&wg, GOROUTINES);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(add_up, &wg), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(excludes) {
    RUN(add_up_main);
    ASSERT_EQ(plain, (long)GOROUTINES * ROUNDS);
    ASSERT(!shared.turn.taken);
}
