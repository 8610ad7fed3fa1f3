/* SPDX-License-Identifier: MIT */
/* The slow half of the spin lock. */
#include "sched/spin.h"
#include "sched/m.h"
#include "sched/park.h"

#include <tuco/go.h>

/* Turns between two tries double, from the first to this. A turn is some ten nanoseconds.
   Long against a section: each time that the lock changes cores costs both of them more
   than a dozen sections of one. */
#define BACKOFF_TURNS_FIRST 32
#define BACKOFF_TURNS_MAX   256

/* So many tries, ten microseconds, before the CPU is given away. */
#define TRIES_MAX 6

static bool try_for_a_while(struct rt_spin *l) {
    int turns = BACKOFF_TURNS_FIRST;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        rt_cpu_relax_for(turns);
        /* relaxed: a look that leaves the line with the holder; the try decides. */
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
        rt_yield_inside(); /* with nothing to yield to, it returns at once */
        os_thread_yield();
    }
}
