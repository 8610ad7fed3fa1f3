/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that is interrupted while it holds a lock of the C library still
   holds it, on the same thread, and each waiter gets the lock in the end. */
/* fixed procs */
#include "hogs.h"

#define HOGS   6
#define ROUNDS 5

static tuco_wg wg;
static pthread_mutex_t lock;
static int depth;
static int counted; /* lock */

/* Both kinds record their owner: only the thread that locked can unlock. */
static void init_lock(int type) {
    pthread_mutexattr_t attr;
    ASSERT_EQ(pthread_mutexattr_init(&attr), 0);
    ASSERT_EQ(pthread_mutexattr_settype(&attr, type), 0);
    ASSERT_EQ(pthread_mutex_init(&lock, &attr), 0);
    ASSERT_EQ(pthread_mutexattr_destroy(&attr), 0);
}

/* Another goroutine runs while this one holds the lock. */
static void hold_often(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < depth; k++) {
            ASSERT_EQ(pthread_mutex_lock(&lock), 0);
        }
        int before = counted;
        compute_for_turns(1);
        counted = before + 1;
        for (int k = 0; k < depth; k++) {
            ASSERT_EQ(pthread_mutex_unlock(&lock), 0);
        }
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hold_often, NULL), 0);
    }
    tuco_wg_wait(&wg);
    turns_stop();
    ASSERT_EQ(counted, HOGS * ROUNDS);
    ASSERT_EQ(pthread_mutex_destroy(&lock), 0);
    return 0;
}

static void run_with(int procs, int type, int times) {
    hogs_use(procs);
    init_lock(type);
    depth = times;
    RUN(run_main);
}

TEST(error_checking_at_1) {
    run_with(1, PTHREAD_MUTEX_ERRORCHECK, 1);
}

TEST(error_checking_at_2) {
    run_with(2, PTHREAD_MUTEX_ERRORCHECK, 1);
}

TEST(recursive_at_1) {
    run_with(1, PTHREAD_MUTEX_RECURSIVE, 3);
}

TEST(recursive_at_4) {
    run_with(4, PTHREAD_MUTEX_RECURSIVE, 3);
}
