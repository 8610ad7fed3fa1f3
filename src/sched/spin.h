/* SPDX-License-Identifier: MIT */
/* The lock of a channel, of a mutex's queue and the like: held for nanoseconds; no thread
   ever sleeps for it. */
#ifndef RT_SCHED_SPIN_H
#define RT_SCHED_SPIN_H

/*
 * Unlike an rt_lock it may be held across a switch: a goroutine that parks in a queue
 * leaves with the queue's lock held, and the commit after the switch releases it. So no
 * waker finds a goroutine in a queue before its registers are saved.
 *
 * A thread that cannot get the lock spins with exponential backoff. So the holder keeps the
 * cache line, and one core does hundreds of operations before another gets the lock. After
 * a few microseconds the holder has probably lost its CPU: a goroutine then yields, and its
 * P runs others meanwhile; a foreign thread yields its CPU.
 *
 * Law. The holder calls no user code, allocates nothing and wakes no goroutine. It does
 * not yield, because a scheduler on the same thread could then wait for the lock for
 * ever; so of several locks only the first may be taken by rt_spin_lock(). Of two locks
 * the one at the lower address is taken first; a queue's lock is taken before a timer
 * wheel's. One case holds the lock for longer: if the goroutine that the holder switches
 * to is new, it gets its stack first.
 */
#include "base/atomic.h"
#include "base/compiler.h"
#include "base/race.h"

#include <stdbool.h>

struct rt_spin {
    rt_atomic(uint32_t) word; /* Atomic. 0: free */
};

void rt_spin_lock_slow(struct rt_spin *l);
void rt_spin_lock_slow_thread(struct rt_spin *l);

static inline bool rt_spin_try(struct rt_spin *l) {
    uint32_t free_word = 0;
    /* acquire: sees what the last holder wrote. Pairs with rt_spin_unlock(). */
    bool taken = rt_cas_acqrel(&l->word, &free_word, 1);
    if (taken) {
        rt_race_acquire(l);
    }
    return taken;
}

/* For a goroutine or a foreign thread. May yield. */
static inline void rt_spin_lock(struct rt_spin *l) {
    if (unlikely(!rt_spin_try(l))) {
        rt_spin_lock_slow(l);
    }
}

/* For contexts that must not switch goroutines: a scheduler's stack, a commit function,
   sysmon. */
static inline void rt_spin_lock_thread(struct rt_spin *l) {
    if (unlikely(!rt_spin_try(l))) {
        rt_spin_lock_slow_thread(l);
    }
}

static inline void rt_spin_unlock(struct rt_spin *l) {
    rt_race_release(l);
    /* release: publishes the critical section. Pairs with the acquire in rt_spin_try(). */
    rt_store_rel(&l->word, 0);
}

#define rt_assert_spin_held(l) rt_assert(rt_load_rlx(&(l)->word) != 0)

#endif
