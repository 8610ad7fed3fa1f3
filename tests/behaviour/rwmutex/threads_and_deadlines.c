/* SPDX-License-Identifier: MIT */
/* Proves: threads and goroutines that read, write, and give up at deadlines exclude each
   other correctly, and no wake-up is lost. */
#include "test.h"

#include <errno.h>

#define GOROUTINES 8
#define THREADS    2
#define ROUNDS     TEST_SIZE(1500, 200)

static tuco_rwmutex rw;
static tuco_wg end;
static long value; /* plain: written by writers, read by readers */
static atomic_long writes;

static void use(int i) {
    tuco_time deadline =
        tuco_deadline(i % 3 == 0 ? TUCO_NEVER : (i % 40) * TUCO_MICROSECOND);
    if (i % 4 == 0) {
        if (tuco_rwmutex_lock_until(&rw, deadline) == 0) {
            value++;
            atomic_fetch_add(&writes, 1);
            tuco_rwmutex_unlock(&rw);
        }
    } else if (tuco_rwmutex_rlock_until(&rw, deadline) == 0) {
        long before = value;
        if (i % 8 == 1) {
            tuco_yield();
        }
        ASSERT_EQ(value, before);
        tuco_rwmutex_runlock(&rw);
    }
}

static void use_often(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        use(i);
    }
    tuco_wg_done(&end);
}

TEST(threads_and_deadlines) {
    struct test_thread threads[THREADS];
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, GOROUTINES + THREADS);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(use_often, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], use_often, NULL);
    }
    tuco_wg_wait(&end);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(value, atomic_load(&writes));
    ASSERT(tuco_rwmutex_try_lock(&rw));
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
