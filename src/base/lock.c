/* SPDX-License-Identifier: MIT */
/* The slow path of the runtime's mutex, and the lock order check. */
#include "base/lock.h"

/* Spins before sleeping: a critical section lasts well under a microsecond, a sleep and
   wake-up tens of microseconds. */
#define SPIN_TURNS  64
#define RELAX_TURNS 8

static const char *const rank_names[] = {
#define RT_LOCK_RANK(name, why) #name,
#include "base/lock_ranks.def"
#undef RT_LOCK_RANK
};

/* Bit r is set while this thread holds a lock of rank r. This thread only. A goroutine
   never switches while it holds a lock, so the bits need not follow goroutines. */
static __thread uint32_t held_ranks;

void rt_lock_slow(struct rt_lock *l) {
    for (int turn = 0; turn < SPIN_TURNS; turn++) {
        uint32_t free_word = 0;
        /* relaxed: a hint; the CAS decides. acquire: as in rt_lock(). */
        if (rt_load_rlx(&l->word) == 0 && rt_cas_acqrel(&l->word, &free_word, 1)) {
            return;
        }
        for (int i = 0; i < RELAX_TURNS; i++) {
            rt_cpu_relax();
        }
    }
    /* acquire: as in rt_lock(). rt_unlock() finds the 2 and wakes this thread. If it
       wakes before the futex wait begins, the word has changed and the wait returns at
       once. */
    while (rt_swap_acqrel(&l->word, 2) != 0) {
        os_futex_wait(&l->word, 2, OS_NEVER);
    }
}

void rt_lock_order_enter(struct rt_lock *l) {
    uint32_t at_or_above = held_ranks >> l->rank;
    if (unlikely(at_or_above != 0)) {
        unsigned held = l->rank + (unsigned)__builtin_ctz(at_or_above);
        rt_throw("lock order: %s taken while %s is held", rank_names[l->rank],
                 rank_names[held]);
    }
    held_ranks |= 1u << l->rank;
}

void rt_lock_order_leave(struct rt_lock *l) {
    if (unlikely(!rt_lock_order_holds(l))) {
        rt_throw("lock order: %s released by a thread that does not hold it",
                 rank_names[l->rank]);
    }
    held_ranks &= ~(1u << l->rank);
}

bool rt_lock_order_holds(const struct rt_lock *l) {
    return (held_ranks >> l->rank & 1) != 0;
}
