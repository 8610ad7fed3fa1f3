/* SPDX-License-Identifier: MIT */
/* The rarer operations on a run queue: overflow, theft, the test for emptiness. */
#include "sched/runq.h"

uint32_t rt_runq_take_half(struct rt_runq *q, struct rt_g **batch) {
    uint32_t h = rt_load_rlx(&q->head); /* relaxed: the compare-and-swap decides */
    uint32_t t = rt_load_rlx(&q->tail); /* relaxed: own writes */
    uint32_t n = (t - h) / 2;
    if (n != RT_RUNQ_SLOTS / 2) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        /* relaxed: own writes */
        batch[i] = rt_load_rlx(&q->slots[(h + i) % RT_RUNQ_SLOTS]);
    }
    /* release: the slots have been read. Pairs with the acquire of head in
       rt_runq_put(). */
    return rt_cas_acqrel(&q->head, &h, h + n) ? n : 0;
}

struct rt_g *rt_runq_grab(struct rt_runq *own, struct rt_runq *victim, uint32_t *moved) {
    uint32_t own_tail = rt_load_rlx(&own->tail); /* relaxed: own writes */
    for (;;) {
        /* acquire: head is read before tail. Pairs with the release of other takers. */
        uint32_t h = rt_load_acq(&victim->head);
        /* acquire: the slots below tail are seen filled. Pairs with the release in
           rt_runq_put(). */
        uint32_t t = rt_load_acq(&victim->tail);
        uint32_t n = t - h;
        n -= n / 2;
        if (n == 0) {
            *moved = 0;
            return NULL;
        }
        if (n > RT_RUNQ_SLOTS / 2) {
            continue; /* head and tail were read too far apart */
        }
        for (uint32_t i = 0; i < n; i++) {
            /* relaxed: ordered by the acquire of tail above; stale if the swap below
               fails. */
            struct rt_g *g = rt_load_rlx(&victim->slots[(h + i) % RT_RUNQ_SLOTS]);
            rt_store_rlx(&own->slots[(own_tail + i) % RT_RUNQ_SLOTS], g);
        }
        /* acq_rel: release says the slots have been read, pairs with the acquire of head
           in rt_runq_put(); acquire takes over the goroutines. */
        if (!rt_cas_acqrel(&victim->head, &h, h + n)) {
            continue;
        }
        *moved = n;
        n--;
        struct rt_g *last = rt_load_rlx(&own->slots[(own_tail + n) % RT_RUNQ_SLOTS]);
        if (n > 0) {
            /* release: publishes the copied slots to thieves of our own. Pairs as in
               rt_runq_put(). */
            rt_store_rel(&own->tail, own_tail + n);
        }
        return last;
    }
}

bool rt_runq_steal_next(struct rt_runq *victim, struct rt_g *g) {
    /* acquire: takes over g. Pairs with the release in rt_runq_put_next(). */
    return rt_cas_acqrel(&victim->next, &g, NULL);
}

bool rt_runq_is_empty(const struct rt_runq *q) {
    for (;;) {
        /* acquire: the three are read in this order, and tail once more. Pairs with the
           releases of the owner, which moves a goroutine from next to the ring by first
           taking and then appending it. */
        uint32_t h = rt_load_acq(&q->head);
        uint32_t t = rt_load_acq(&q->tail);
        struct rt_g *next = rt_load_acq(&q->next);
        if (t == rt_load_acq(&q->tail)) {
            return h == t && next == NULL;
        }
    }
}
