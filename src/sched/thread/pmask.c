/* SPDX-License-Identifier: MIT */
/* pMask: a set of Ps. */
#include "sched/thread/pmask.h"
#include "base/bits.h"
#include "base/compiler.h"
#include "sched/sched.h"

uint32_t rt_pmask_count(const struct rt_pmask *mask) {
    uint32_t n = 0;
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < RT_PMASK_WORDS && i * 64 < end; i++) {
        /* relaxed: a hint */
        n += (uint32_t)__builtin_popcountll(rt_load_rlx(&mask->words[i]));
    }
    return n;
}

int rt_pmask_take_any_but(struct rt_pmask *mask, uint32_t but) {
    uint32_t end = rt_sched_ps_end();
    for (uint32_t i = 0; i < RT_PMASK_WORDS && i * 64 < end; i++) {
        /* relaxed: rt_pmask_clear() decides */
        uint64_t bits = rt_load_rlx(&mask->words[i]);
        while (bits != 0) {
            uint32_t id = i * 64 + rt_lowest_bit(bits);
            if (likely(id != but) && rt_pmask_clear(mask, id)) {
                return (int)id;
            }
            bits &= bits - 1;
        }
    }
    return -1;
}

void rt_pmask_init(struct rt_pmask *mask, uint32_t procs) {
    for (uint32_t i = 0; i < RT_PMASK_WORDS; i++) {
        uint32_t left = procs > i * 64 ? procs - i * 64 : 0;
        /* relaxed: there is no other thread yet */
        rt_store_rlx(&mask->words[i],
                     left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1);
    }
}
