/* SPDX-License-Identifier: MIT */
/* The runtime's own mutex, for short critical sections; a holder never parks. */
#ifndef RT_BASE_LOCK_H
#define RT_BASE_LOCK_H

#include "base/atomic.h"
#include "base/die.h"
#include "os/os.h"

/*
 * Rules for every rt_lock: the holder calls no user code, no allocator hook and no
 * scheduling function, and takes further locks only in the order of lock_ranks.def. Debug
 * builds check owner and order.
 *
 * Values of word: 0 free, 1 held, 2 held with possible sleepers. The fast path changes 0
 * to 1. A thread that may have slept sets 2, because it cannot know whether others still
 * sleep.
 */
enum rt_lock_rank {
#define RT_LOCK_RANK(name, why) RT_RANK_##name,
#include "base/lock_ranks.def"
#undef RT_LOCK_RANK
    RT_LOCK_RANKS
};

struct rt_lock {
    rt_atomic(uint32_t) word; /* atomic */
    uint32_t rank;            /* immutable */
};

#define RT_LOCK_INIT(rank_name) \
    { .rank = RT_RANK_##rank_name }

void rt_lock_slow(struct rt_lock *l);
void rt_lock_order_enter(struct rt_lock *l);
void rt_lock_order_leave(struct rt_lock *l);
bool rt_lock_order_holds(const struct rt_lock *l);

static inline void rt_lock(struct rt_lock *l) {
    uint32_t free_word = 0;
    if (RT_CHECKS) {
        rt_lock_order_enter(l);
    }
    /* acquire: sees what the previous holder wrote. Pairs with the swap in
       rt_unlock(). */
    if (unlikely(!rt_cas_acqrel(&l->word, &free_word, 1))) {
        rt_lock_slow(l);
    }
}

/* Takes l if it is free. Returns whether it did. */
static inline bool rt_lock_try(struct rt_lock *l) {
    uint32_t free_word = 0;
    /* relaxed: a hint that does not claim the cache line. acquire: as in rt_lock(). */
    if (rt_load_rlx(&l->word) != 0 || !rt_cas_acqrel(&l->word, &free_word, 1)) {
        return false;
    }
    if (RT_CHECKS) {
        rt_lock_order_enter(l);
    }
    return true;
}

static inline void rt_unlock(struct rt_lock *l) {
    if (RT_CHECKS) {
        rt_lock_order_leave(l);
    }
    /* release: publishes the critical section. Pairs with the CAS in rt_lock() and
       rt_lock_try(), and with both RMWs in rt_lock_slow(). */
    if (unlikely(rt_swap_acqrel(&l->word, 0) == 2)) {
        os_futex_wake(&l->word, 1);
    }
}

#define rt_assert_held(l) rt_assert(rt_lock_order_holds(l))

#endif
