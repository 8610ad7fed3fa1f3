/* SPDX-License-Identifier: MIT */
/* Run queue operations off the fast path: overflow and stealing. */
#include "sched/runq.h"

uint32_t rt_runq_take_half(struct rt_runq *q, struct rt_g **batch) {
    uint32_t h = rt_load_rlx(&q->head); /* relaxed: the compare-and-swap decides */
    uint32_t t = rt_load_rlx(&q->tail); /* relaxed: the owner's own */
    uint32_t n = (t - h) / 2;
    if (n != RT_RUNQ_SLOTS / 2) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        /* relaxed: the owner's own */
        batch[i] = rt_load_rlx(&q->slots[(h + i) % RT_RUNQ_SLOTS]);
    }
    /* release: the slots have been read. Pairs with the acquire of head in
       rt_runq_put(). */
    return rt_cas_acqrel(&q->head, &h, h + n) ? n : 0;
}

struct rt_g *rt_runq_grab(struct rt_runq *own, struct rt_runq *victim) {
    uint32_t own_tail = rt_load_rlx(&own->tail); /* relaxed: the owner's own */
    uint32_t room = rt_runq_room(own);
    for (;;) {
        /* acquire: head is read before tail. Pairs with the release in rt_runq_pop(),
           rt_runq_take_half() and other grabs. */
        uint32_t h = rt_load_acq(&victim->head);
        /* acquire: sees the slots below tail filled. Pairs with the release in
           rt_runq_put(). */
        uint32_t t = rt_load_acq(&victim->tail);
        uint32_t n = t - h;
        n -= n / 2;
        if (n > RT_RUNQ_SLOTS / 2) {
            continue; /* the ring moved between the reads of head and tail */
        }
        n = n < room ? n : room;
        if (n == 0) {
            return NULL;
        }
        for (uint32_t i = 0; i < n; i++) {
            /* relaxed: ordered by the acquire of tail above; dropped if the
               compare-and-swap below fails. */
            struct rt_g *g = rt_load_rlx(&victim->slots[(h + i) % RT_RUNQ_SLOTS]);
            rt_store_rlx(&own->slots[(own_tail + i) % RT_RUNQ_SLOTS], g);
        }
        /* release: the slots have been read. Pairs with the acquire of head in
           rt_runq_put(). acquire: takes over the goroutines. */
        if (!rt_cas_acqrel(&victim->head, &h, h + n)) {
            continue;
        }
        n--;
        struct rt_g *last = rt_load_rlx(&own->slots[(own_tail + n) % RT_RUNQ_SLOTS]);
        if (n > 0) {
            /* release: publishes the copied slots to thieves of own. Pairs as in
               rt_runq_put(). */
            rt_store_rel(&own->tail, own_tail + n);
        }
        return last;
    }
}

bool rt_runq_steal_runnext(struct rt_runq *victim, struct rt_g *g) {
    /* acquire: takes over g. Pairs with the release in rt_runq_put_runnext(). */
    return rt_cas_acqrel(&victim->runnext, &g, NULL);
}
