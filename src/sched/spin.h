/* SPDX-License-Identifier: MIT */
/* The lock of a channel, a mutex's queue and the like: a word that is held for some
   nanoseconds, and for which no thread ever sleeps. */
#ifndef RT_SCHED_SPIN_H
#define RT_SCHED_SPIN_H

/*
 * Unlike an rt_lock it may be held across a switch: a goroutine that parks in a queue
 * leaves with the queue's lock held, and the commit after the switch releases it. So
 * nobody finds a goroutine in a queue whose registers are not saved yet.
 *
 * Who cannot have it waits in a loop, ever longer between two tries: so the holder keeps
 * the cache line, and one core does hundreds of operations before the other has its turn.
 * After some microseconds the holder has probably lost its CPU: a goroutine then yields,
 * and its P runs others meanwhile; a foreign thread yields its CPU.
 *
 * Law: the holder calls no user code, allocates nothing, and wakes nobody; it does not
 * yield, or a scheduler that waits for the lock on the same thread would wait for ever: so
 * of several locks only the first may be waited for by rt_spin_lock(). Of two locks the one
 * at the lower address is taken first; a queue's lock is taken before a timer wheel's. One
 * thing takes longer than it should: the goroutine that is switched to with the lock held
 * may be new, and get its stack then.
 */
#include "base/atomic.h"
#include "base/compiler.h"

#include <stdbool.h>

struct rt_spin {
    rt_atomic(uint32_t) word; /* 0: free */
};

void rt_spin_lock_slow(struct rt_spin *l);
void rt_spin_lock_slow_thread(struct rt_spin *l);

static inline bool rt_spin_try(struct rt_spin *l) {
    uint32_t free_word = 0;
    /* acquire: sees all that the last holder wrote. Pairs with rt_spin_unlock(). */
    return rt_cas_acqrel(&l->word, &free_word, 1);
}

/* A goroutine or a foreign thread. May yield. */
static inline void rt_spin_lock(struct rt_spin *l) {
    if (unlikely(!rt_spin_try(l))) {
        rt_spin_lock_slow(l);
    }
}

/* The same where no goroutine may be switched: on a scheduler's stack, in a commit
   function, in the monitor. */
static inline void rt_spin_lock_thread(struct rt_spin *l) {
    if (unlikely(!rt_spin_try(l))) {
        rt_spin_lock_slow_thread(l);
    }
}

static inline void rt_spin_unlock(struct rt_spin *l) {
    /* release: publishes the section. Pairs with the acquire in rt_spin_try(). */
    rt_store_rel(&l->word, 0);
}

#define rt_assert_spin_held(l) rt_assert(rt_load_rlx(&(l)->word) != 0)

#endif
