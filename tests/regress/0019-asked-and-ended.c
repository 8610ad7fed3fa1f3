/* SPDX-License-Identifier: MIT */
/* Proves: a thread that ends with a pending request to yield does not stay in the count
   of such requests. */
/*
 * Bug. tuco_checkpoint() reads the count of threads with a pending request to yield. A
 * thread could end without answering a request that sysmon made after it had found its
 * next goroutine, or had none left; the request was overwritten when its memory was
 * reused. From then on each checkpoint of each goroutine took the slow path.
 *
 * Fix. rt_preempt_reset() withdraws the request when the thread has ended, and
 * rt_preempt_ask() does so if it comes later still.
 *
 * Fails without it: a destructor runs on the thread after it has left its loop, and makes
 * a request.
 */
/* fixed procs */
#include "arch/arch.h"
#include "sched/sysmon/preempt.h"
#include "test.h"

static pthread_key_t key;

static unsigned wanted(void) {
    return __atomic_load_n(&tuco_private_checkpoint_wanted, __ATOMIC_RELAXED);
}

static void ask(void *m) {
    rt_preempt_ask(m, 0, true);
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
