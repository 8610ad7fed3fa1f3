/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine that computes without a call is preempted like any other, and
   continues on its thread. */
/* ThreadSanitizer holds signals back and delivers them where it sees fit. */
/* not under tsan */
/* fixed procs */
#include "threads.h"

#define ROUNDS 10

static atomic_int others_ran;

static void let_hog_go(void *arg) {
    atomic_store(&others_ran, (int)(intptr_t)arg);
}

/* With one processor no other goroutine runs unless this goroutine is preempted. */
static void hog_wired(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_lock_thread();
    int tid = gettid();
    for (intptr_t i = 1; i <= ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, let_hog_go, (void *)i), 0);
        while (atomic_load_explicit(&others_ran, memory_order_relaxed) != i) {
        }
        ASSERT_EQ(gettid(), tid);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(gettid(), tid);
    tuco_unlock_thread();
}

static int main_hogs(void *arg) {
    hog_wired(arg);
    return 0;
}

static int other_hogs(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_wg_go(&wg, hog_wired, NULL), 0);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(main_hogs) {
    test_setenv("TUCOPROCS", "1");
    RUN(main_hogs);
}

TEST(other_hogs) {
    test_setenv("TUCOPROCS", "1");
    RUN(other_hogs);
}
