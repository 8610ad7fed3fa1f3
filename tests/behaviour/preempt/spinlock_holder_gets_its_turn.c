/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that is interrupted while it holds a spin lock runs again although
   all others spin for the lock, also when preemptmax is reached. */
/* fixed procs */
#include "hogs.h"

#define SPINNERS 8

static tuco_wg wg;
static pthread_spinlock_t lock;
static atomic_int held;
static atomic_int entered;
static int counted; /* lock */
static int rivals;  /* that must reach the lock before it is released */

/* The others can reach the lock only while this goroutine is interrupted. */
static void hold(void *arg) {
    (void)arg;
    ASSERT_EQ(pthread_spin_lock(&lock), 0);
    atomic_store(&held, 1);
    while (atomic_load(&entered) < rivals) {
    }
    counted++;
    ASSERT_EQ(pthread_spin_unlock(&lock), 0);
}

static void spin(void *arg) {
    (void)arg;
    atomic_fetch_add(&entered, 1);
    ASSERT_EQ(pthread_spin_lock(&lock), 0);
    counted++;
    ASSERT_EQ(pthread_spin_unlock(&lock), 0);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, hold, NULL), 0);
    test_await(&held, 1);
    for (int i = 0; i < SPINNERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, spin, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(counted, SPINNERS + 1);
    return 0;
}

static void run_with(const char *debug, int rivals_first) {
    hogs_use(1);
    test_setenv("TUCODEBUG", debug);
    rivals = rivals_first;
    ASSERT_EQ(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
    RUN(run_main);
}

TEST(within_the_bound) {
    run_with("preemptmax=16", SPINNERS);
}

/* One rival is interrupted too; the other can run only in exchange for one of the two. */
TEST(at_the_bound) {
    run_with("preemptmax=2", 2);
}
