/* SPDX-License-Identifier: MIT */
/* Proves: requests with and without a deadline share one queue; a request whose deadline
   passes leaves it and no longer blocks those behind; free units are acquired even after
   the deadline. */
#include "waiting.h"

#include <errno.h>

#define WAITERS 9

static tuco_sem s;
static tuco_wg end;
static int served; /* plain: each release happens before the next acquire */
static atomic_int gave_up;

static int acquire(int i) {
    switch (i % 3) {
    case 0: return tuco_sem_acquire(&s, 1, NULL);
    case 1: return tuco_sem_acquire_until(&s, 1, tuco_deadline(TUCO_HOUR));
    default: return tuco_sem_acquire_until(&s, 1, TUCO_NEVER);
    }
}

static void take_turn(void *arg) {
    int i = (int)(intptr_t)arg;
    ASSERT_EQ(acquire(i), 0);
    ASSERT_EQ(served++, i);
    tuco_sem_release(&s, 1);
}

static void give_up(void *arg) {
    (void)arg;
    tuco_time deadline = tuco_deadline(20 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_sem_acquire_until(&s, 2, deadline), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    atomic_store(&gave_up, 1);
}

static void expect_free_units(void) {
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, 0), 0);
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, tuco_deadline(TUCO_MILLISECOND)), -ETIMEDOUT);
    tuco_sem_release(&s, 1);
}

static int in_turn_main(void *arg) {
    (void)arg;
    tuco_sem_init(&s, 1);
    expect_free_units();
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, TUCO_NEVER), 0);
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, take_turn, (void *)(intptr_t)i), 0);
        test_await_waiting("semacquire", i + 1);
    }
    tuco_sem_release(&s, 1);
    tuco_wg_wait(&end);
    ASSERT_EQ(served, WAITERS);
    return 0;
}

/* The first request needs both units, but only one is free; the second needs one. On a
   busy machine the first may give up before main sees it wait. */
static int gives_up_main(void *arg) {
    (void)arg;
    tuco_sem_init(&s, 2);
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, TUCO_NEVER), 0);
    ASSERT_EQ(tuco_wg_go(&end, give_up, NULL), 0);
    while (test_occurrences(test_dump(), "[semacquire") == 0 && !atomic_load(&gave_up)) {
        tuco_yield();
    }
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, tuco_deadline(TUCO_HOUR)), 0);
    tuco_wg_wait(&end);
    tuco_sem_release(&s, 2);
    return 0;
}

TEST(in_turn) {
    RUN(in_turn_main);
}

TEST(gives_up) {
    RUN(gives_up_main);
}

TEST(without_a_runtime) {
    tuco_sem_init(&s, 1);
    expect_free_units();
}
