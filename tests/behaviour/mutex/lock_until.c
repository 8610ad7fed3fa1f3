/* SPDX-License-Identifier: MIT */
/* Proves: a lock with a deadline takes a free mutex in any case, and gives up a locked
   one at the deadline and not before. */
#include "test.h"

#include <errno.h>

#define WAIT (5 * TUCO_MILLISECOND)

static tuco_mutex m;

static void lock_with_deadlines(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_mutex_lock_until(&m, 0), 0); // long past, but it is free
    ASSERT_EQ(tuco_mutex_lock_until(&m, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_mutex_lock_until(&m, tuco_now()), -ETIMEDOUT);
    for (int i = 0; i < 3; i++) {
        tuco_time deadline = tuco_deadline(WAIT);
        ASSERT_EQ(tuco_mutex_lock_until(&m, deadline), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
    ASSERT(!tuco_mutex_try_lock(&m));
    tuco_mutex_unlock(&m);
    ASSERT_EQ(tuco_mutex_lock_until(&m, tuco_deadline(WAIT)), 0);
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    lock_with_deadlines(arg);
    struct test_thread thread;
    test_thread_start(&thread, lock_with_deadlines, NULL);
    test_thread_join(&thread);
    return 0;
}

TEST(lock_until) {
    RUN(run_main);
}

TEST(lock_until_without_runtime) {
    lock_with_deadlines(NULL);
}
