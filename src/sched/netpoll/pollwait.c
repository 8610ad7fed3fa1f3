/* SPDX-License-Identifier: MIT */
/* The waits for descriptors, counted as goroutines are in rt_sched_live(): per P, without
   contention. */
#include "sched/netpoll/pollwait.h"
#include "base/compiler.h"
#include "sched/netpoll/pollset.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/sched.h"

/* A P checks at every REMIND_INTERVAL-th wait for a descriptor whether a P has polled
   lately. */
#define REMIND_INTERVAL 8

/* Atomic: waits of foreign threads. */
static struct {
    rt_atomic(uint64_t) foreign_begun;
    rt_atomic(uint64_t) foreign_ended;
} waits RT_CACHE_ALIGNED;

void rt_netpoll_wait_begin(const rt_atomic(uintptr_t) *word) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        struct rt_p *p = m->p;
        rt_p_count(&p->polls_begun);
        rt_store_rlx(&p->awaited, word); /* relaxed: published by the idle word */
        if (p->poll_countdown-- == 0) {
            p->poll_countdown = REMIND_INTERVAL - 1;
            rt_netpoll_remind(p);
        }
        return;
    }
    rt_add_sc(&waits.foreign_begun, 1); /* sc: before rt_sysmon_poke() reads dormant */
    rt_sysmon_poke();
}

void rt_netpoll_wait_end(void) {
    struct rt_m *m = arch_self();
    if (likely(m != NULL)) {
        rt_p_count(&m->p->polls_ended);
    } else {
        rt_add_sc(&waits.foreign_ended, 1);
    }
}

/* acquire, all: pair with the release in rt_p_count(), and with the RMWs of foreign
   threads in rt_netpoll_wait_begin() and rt_netpoll_wait_end(). */

uint64_t rt_netpoll_waits_ended(void) {
    uint32_t made = rt_sched_made();
    uint64_t ended = rt_load_acq(&waits.foreign_ended);
    for (uint32_t i = 0; i < made; i++) {
        ended += rt_load_acq(&rt_sched.ps[i].polls_ended);
    }
    return ended;
}

bool rt_netpoll_awaited(uint64_t ended) {
    uint32_t made = rt_sched_made();
    uint64_t begun = rt_load_acq(&waits.foreign_begun);
    for (uint32_t i = 0; i < made; i++) {
        begun += rt_load_acq(&rt_sched.ps[i].polls_begun);
    }
    return begun != ended;
}

bool rt_netpoll_awaited_on(const struct rt_p *p) {
    /* relaxed: a hint. Safe because poll descriptors are never unmapped while the runtime
       runs. */
    const rt_atomic(uintptr_t) *word = rt_load_rlx(&p->awaited);
    return word != NULL && rt_pollway_has_waiter(word);
}
