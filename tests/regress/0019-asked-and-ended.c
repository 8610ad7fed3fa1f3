/* SPDX-License-Identifier: MIT */
/* Proves: a thread that was asked to give way, and ends instead, is not counted for ever
   among those that have been asked. */
/*
 * Bug. tuco_checkpoint() looks at a count of threads that are asked to give way and have
 * not yet. One that the monitor asked when it had found its next goroutine, or had none any
 * more, could end without an answer; what it was asked for was overwritten when its memory
 * was used again. From then on each checkpoint of each goroutine took the slow way.
 *
 * Fix. rt_preempt_reset() answers for it when it is buried, and rt_preempt_ask() if it comes
 * later still.
 *
 * Fails without it: a destructor runs on the thread when it has left its loop, and asks.
 */
/* fixed procs */
#include "arch/arch.h"
#include "sched/preempt.h"
#include "test.h"

static pthread_key_t key;

static unsigned wanted(void) {
    return __atomic_load_n(&tuco_private_checkpoint_wanted, __ATOMIC_RELAXED);
}

static void ask(void *m) {
    rt_preempt_ask(m);
}

static void end_wired(void *arg) {
    tuco_lock_thread();
    ASSERT_EQ(pthread_setspecific(key, arch_self()), 0);
    atomic_store((atomic_int *)arg, 1);
}

TEST(asked_and_ended) {
    atomic_int ended = 0;
    ASSERT_EQ(pthread_key_create(&key, ask), 0);
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_go(end_wired, &ended), 0);
    test_spin(&ended, 1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(wanted(), 0);
}
