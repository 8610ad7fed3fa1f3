/* SPDX-License-Identifier: MIT */
/* Proves: a mutex has one holder at a time, by whichever call it was locked: a plain
   counter under it is exact. (MX-01) */
#include "test.h"

#define GOROUTINES 10
#define ROUNDS     1000

static tuco_mutex m;
static tuco_wg end;
static int counter; /* plain: the mutex is all that protects it */
static int inside;

static void enter(int i) {
    switch (i % 3) {
    case 0: tuco_mutex_lock(&m); break;
    case 1:
        while (!tuco_mutex_try_lock(&m)) {
            tuco_yield();
        }
        break;
    default: ASSERT_EQ(tuco_mutex_lock_until(&m, TUCO_NEVER), 0);
    }
}

static void count(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        enter(i);
        ASSERT_EQ(inside++, 0);
        counter++;
        if (i % 16 == 0) {
            tuco_yield(); // other goroutines find it locked, also on one processor
        }
        ASSERT_EQ(--inside, 0);
        tuco_mutex_unlock(&m);
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_wg_go(&end, count, NULL), 0);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(counter, GOROUTINES * ROUNDS);
    return 0;
}

TEST(exclusion) {
    RUN(run_main);
}
