/* SPDX-License-Identifier: MIT */
/* The slow half of the spin lock. */
#include "sched/spin.h"
#include "sched/m.h"

#include <tuco/go.h>

/* Turns between two tries double up to this. A turn is some ten nanoseconds. */
#define BACKOFF_TURNS_MAX 64

/* So many tries, some microseconds, before the CPU is given away. */
#define TRIES_MAX 16

static bool try_for_a_while(struct rt_spin *l) {
    int turns = 4;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        for (int i = 0; i < turns; i++) {
            rt_cpu_relax();
        }
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
        tuco_yield(); /* with nothing to yield to, it returns at once */
        os_thread_yield();
    }
}
