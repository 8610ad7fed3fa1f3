/* SPDX-License-Identifier: MIT */
/* Run queue operations off the fast path: overflow, stealing, waking an M. */
#include "sched/runq.h"
#include "os/os.h"

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

/* The ring is full: moves half of it and g to the global queue. */
static RT_NOINLINE void overflow(struct rt_p *p, struct rt_g *g) {
    struct rt_g *batch[RT_RUNQ_SLOTS / 2 + 1];
    uint32_t n = rt_runq_take_half(&p->runq, batch);
    if (n == 0) {
        rt_queue_put(p, g); /* thieves have made room */
        return;
    }
    batch[n] = g;
    rt_globq_put_array(batch, n + 1);
}

static RT_INLINE void queue_put(struct rt_p *p, struct rt_g *g) {
    if (unlikely(!rt_runq_put(&p->runq, g))) {
        overflow(p, g);
    }
}

void rt_queue_put(struct rt_p *p, struct rt_g *g) {
    queue_put(p, g);
}

void rt_queue_global(struct rt_g *g) {
    rt_globq_put(g);
    rt_wakep(1);
}

void rt_queue_yielded_global(struct rt_g *g) {
    struct rt_glist one = {.first = NULL};
    rt_glist_append(&one, g);
    rt_globq_put_yielded(&one);
    rt_wakep(1);
}

void rt_queue_kicked(struct rt_p *p, struct rt_g *kicked) {
    queue_put(p, kicked);
    rt_wakep(1);
}

/* The measured time begins after rt_wakep(), so that it does not include the cost of waking
   an M. */
void rt_queue_measured(struct rt_p *p, struct rt_g *waker, struct rt_g *g) {
    if (waker->habit == RT_HABIT_SCHEDULER) {
        rt_queue_runnext(p, g);
        return;
    }
    if (waker->habit >= RT_HABIT_GOES_ON) {
        queue_put(p, g);
        rt_wakep(1);
    } else {
        rt_queue_runnext(p, g);
    }
    if (waker->habit == RT_HABIT_NEW) {
        waker->habit = RT_HABIT_SEEN;
    } else if (rt_load_rlx(&p->woke_ns) == 0) { /* relaxed, both: as in judge_waker() */
        rt_store_rlx(&p->woke_ns, os_now());
    }
}
