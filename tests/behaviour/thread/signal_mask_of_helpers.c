/* SPDX-License-Identifier: MIT */
/* Proves: every thread that the runtime starts, including its helpers, has the mask of
   the starting thread. */
/* fixed procs */
#include "test.h"

#include <signal.h>

#define TIDS_MAX 64
#define WANTED   (UINT64_C(1) << (SIGUSR2 - 1))
#define LIMIT    (10 * TUCO_SECOND)

static int before[TIDS_MAX];
static int before_count;

static bool was_there(int tid) {
    bool found = false;
    for (int i = 0; i < before_count; i++) {
        found |= before[i] == tid;
    }
    return found;
}

/* The C library blocks all signals in a thread that is only just starting. */
static void expect_wanted_mask(int tid) {
    tuco_time limit = tuco_deadline(LIMIT);
    while (test_blocked_signals(tid) != WANTED && tuco_now() < limit) {
        sched_yield();
    }
    ASSERT_EQ(test_blocked_signals(tid), WANTED);
}

TEST(signal_mask_of_helpers) {
    int now[TIDS_MAX];
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    before_count = test_list_threads(before, TIDS_MAX);
    test_setenv("TUCOPROCS", "4");
    ASSERT_EQ(tuco_start(), 0);
    int now_count = test_list_threads(now, TIDS_MAX);
    ASSERT_GT(now_count, before_count);
    for (int i = 0; i < now_count; i++) {
        if (!was_there(now[i])) {
            expect_wanted_mask(now[i]);
        }
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
