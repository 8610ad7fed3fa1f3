/* SPDX-License-Identifier: MIT */
/* The idle Ps: the word and the sets. */
#include "sched/thread/pidle.h"
#include "sched/p.h"

struct rt_pidle_word rt_pidle;
struct rt_pidle_masks rt_pidle_masks;

void rt_pidle_init(uint32_t procs) {
    rt_pmask_init(&rt_pidle_masks.parked, 0);
    rt_pmask_init(&rt_pidle_masks.cold, procs);
    rt_pmask_init(&rt_pidle_masks.aside, 0);
    rt_pmask_init(&rt_pidle_masks.wanted, 0);
    /* relaxed: there is no other thread yet */
    rt_store_rlx(&rt_pidle.word, procs * (RT_PIDLE_TOTAL_ONE + RT_PIDLE_ONE));
}

/* Skipping an idle P misses nothing: its queue is empty, and its timers, if it has any, are
   watched by the M that sleeps with it. A P whose M left it with work is not idle: it wants
   a thread. */
bool rt_pidle_has(uint32_t p_id) {
    return rt_pmask_has(&rt_pidle_masks.parked, p_id) ||
           rt_pmask_has(&rt_pidle_masks.cold, p_id);
}

bool rt_pidle_all(void) {
    /* acquire: the counters that the Ps' owners wrote are visible. Pairs with the RMWs in
       rt_spinning_give_up() and count_idle(). */
    uint64_t w = rt_load_acq(&rt_pidle.word);
    return rt_pidle_ps(w) + rt_pidle_aside(w) == rt_pidle_total(w) &&
           rt_pidle_spinning(w) == 0;
}

/* Only the M itself sets the bit. */
bool rt_pidle_is_claimed(const struct rt_p *p) {
    return !rt_pmask_has(&rt_pidle_masks.parked, p->id);
}

void rt_pidle_add(struct rt_p *p) {
    rt_pmask_set(&rt_pidle_masks.cold, p->id);
    /* sc: as in pidle_reserve() in wakep.c. */
    rt_add_sc(&rt_pidle.word, RT_PIDLE_TOTAL_ONE + RT_PIDLE_ONE);
}

void rt_pidle_remove(void) {
    /* sc: as in pidle_reserve() in wakep.c. The P's goroutines and timers have moved
       elsewhere. */
    rt_add_sc(&rt_pidle.word, -RT_PIDLE_TOTAL_ONE);
}

/* A hint is enough: the thread that sets a bit wakes the starter afterwards. */
uint32_t rt_pidle_wanted(void) {
    return rt_pmask_count(&rt_pidle_masks.wanted);
}

void rt_pidle_put_back_wanted(struct rt_p *p) {
    rt_pmask_set(&rt_pidle_masks.wanted, p->id);
}
