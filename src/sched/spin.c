/* SPDX-License-Identifier: MIT */
/* The slow path of the spin lock. */
#include "sched/spin.h"
#include "sched/m.h"
#include "sched/park.h"

#include <tuco/go.h>

/* Backoff between two tries, in turns of about ten nanoseconds; doubles up to the maximum.
   Long compared to a critical section, because each move of the lock between cores costs
   both more than a dozen sections. */
#define BACKOFF_TURNS_FIRST 32
#define BACKOFF_TURNS_MAX   256

/* Tries before the thread yields: about ten microseconds. */
#define TRIES_MAX 6

static bool try_for_a_while(struct rt_spin *l) {
    int turns = BACKOFF_TURNS_FIRST;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        rt_cpu_relax_for(turns);
        /* relaxed: a read leaves the cache line with the holder; the try decides. */
        if (rt_load_rlx(&l->word) == 0 && rt_spin_try(l)) {
            return true;
        }
        turns = turns < BACKOFF_TURNS_MAX ? 2 * turns : turns;
    }
    return false;
}

void rt_spin_lock_slow_thread(struct rt_spin *l) {
    while (!try_for_a_while(l)) {
        os_thread_yield();
    }
}

void rt_spin_lock_slow(struct rt_spin *l) {
    while (!try_for_a_while(l)) {
        rt_yield_inside(); /* returns at once if no other goroutine is runnable */
        os_thread_yield();
    }
}
