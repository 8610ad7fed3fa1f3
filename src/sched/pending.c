/* SPDX-License-Identifier: MIT */
/* How many runnable goroutines are in the queues. */
#include "sched/pending.h"
#include "base/compiler.h"
#include "sched/sched.h"
#include "sched/thread/pidle.h"

static RT_INLINE uint32_t sum_up(uint32_t enough,
                                 uint32_t (*count)(const struct rt_p *)) {
    uint32_t pending = rt_globq_length() + rt_lockedm_length();
    /* relaxed: callers for which the order matters have a fence. The ring of an idle P is
       empty, and a P that becomes busy now has a spinning M. */
    uint64_t w = rt_load_rlx(&rt_pidle.word);
    uint32_t end = rt_pidle_ps(w) < rt_pidle_total(w) ? rt_sched_ps_end() : 0;
    for (uint32_t i = 0; i < end && pending < enough; i++) {
        pending += count(&rt_sched.ps[i]);
    }
    return pending < enough ? pending : enough;
}

uint32_t rt_pending_count(uint32_t enough) {
    return sum_up(enough, rt_p_queued);
}

uint32_t rt_pending_surplus(uint32_t enough) {
    return sum_up(enough, rt_p_surplus);
}
