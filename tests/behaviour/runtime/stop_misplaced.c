/* SPDX-License-Identifier: MIT */
/* Proves: tuco_stop refuses a call by a goroutine, a call without tuco_start, and a
   second concurrent call. */
#include "test.h"

#include <errno.h>

static tuco_wg gate;
static atomic_int asked;

static void stop_from_inside(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_stop(TUCO_NEVER), -EDEADLK);
    ASSERT_EQ(tuco_stop(0), -EDEADLK);
    atomic_store(&asked, 1);
    tuco_wg_wait(&gate);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_stop(TUCO_NEVER), -EDEADLK);
    return 3;
}

static void stop_patiently(void *arg) {
    int rc = tuco_stop(TUCO_NEVER);
    while (rc == -EBUSY) {
        rc = tuco_stop(TUCO_NEVER); // the other thread was in its call at that moment
    }
    *(int *)arg = rc;
}

TEST(stop_without_start) {
    ASSERT_EQ(tuco_stop(TUCO_NEVER), -EINVAL);
    ASSERT_EQ(tuco_run(run_main, NULL), 3);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), -EINVAL);
}

TEST(stop_by_two_threads) {
    struct test_thread thread;
    int patient = 1;
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&gate, 1);
    ASSERT_EQ(tuco_go(stop_from_inside, NULL), 0);
    test_spin(&asked, 1);
    test_thread_start(&thread, stop_patiently, &patient);
    int rc = tuco_stop(0);
    while (rc != -EBUSY) {
        ASSERT_EQ(rc, -ETIMEDOUT);
        rc = tuco_stop(0);
    }
    tuco_wg_done(&gate);
    test_thread_join(&thread);
    ASSERT_EQ(patient, 0);
}
