/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that was preempted by a signal while it held a spin lock does not
   wait for all goroutines that spin for the lock with sched_yield(). */
/* fixed procs */
/* slow */
#include "turns.h"

#define SPINNERS 100
#define SECTION  TUCO_MICROSECOND
#define CPU      (1500 * TUCO_MILLISECOND)
#define GAP_MAX  (300 * TUCO_MILLISECOND)

#if defined(__SANITIZE_THREAD__) || TEST_CLANG_HAS(thread_sanitizer)
#define GETS_NO_SIGNALS 1
#else
#define GETS_NO_SIGNALS 0
#endif

static tuco_wg wg;
static atomic_int over;

static atomic_int locked;
static tuco_time end;         /* CPU time of the process */
static tuco_time section_end; /* likewise, of the last section: locked */
static tuco_time longest;     /* between two sections: locked */

/* Returns false if the test is over. */
static bool enter(void) {
    while (atomic_exchange(&locked, 1) != 0) {
        if (atomic_load(&over) != 0) {
            return false;
        }
        sched_yield();
    }
    return true;
}

static void take_the_lock(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0 && enter()) {
        turns_compute(SECTION);
        tuco_time now = turns_clock(CLOCK_PROCESS_CPUTIME_ID);
        longest = now - section_end > longest ? now - section_end : longest;
        section_end = now;
        if (now >= end) {
            atomic_store(&over, 1);
        }
        atomic_store(&locked, 0);
    }
}

static tuco_time longest_gap(void *arg) {
    (void)arg;
    atomic_store(&over, 0);
    longest = 0;
    section_end = turns_clock(CLOCK_PROCESS_CPUTIME_ID);
    end = section_end + CPU;
    for (int i = 0; i < SPINNERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, take_the_lock, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return longest;
}

static int spin_main(void *arg) {
    turns_expect_at_most(GAP_MAX, longest_gap, arg);
    return 0;
}

static void spin_on(int procs) {
    if (GETS_NO_SIGNALS) {
        SKIP("ThreadSanitizer holds a signal back while the thread only computes.");
    }
    turns_use_procs(procs);
    RUN(spin_main);
}

TEST(beside_spinners_on_one_p) {
    spin_on(1);
}

TEST(beside_spinners_on_two_ps) {
    spin_on(2);
}
