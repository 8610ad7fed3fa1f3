/* SPDX-License-Identifier: MIT */
/* The one instance of the runtime, and sums over its Ps. */
#include "sched/sched.h"
#include "base/wheel.h"

struct rt_sched rt_sched = {.lifecycle = RT_LOCK_INIT(lifecycle)};

/* Referred to by arch_self() only: see arch.h. */
__thread struct rt_m *rt_tls_m __attribute__((tls_model("initial-exec"), used));

/*
 * Ends are summed before starts, so that a goroutine which comes and goes meanwhile is
 * counted too often rather than too seldom. And so a sum of 0 is exact: at the moment
 * between the two loops no goroutine was alive, and only a foreign thread can have
 * started one since.
 */
uint64_t rt_sched_live(void) {
    uint32_t made = rt_sched_made();
    uint64_t ended = 0;
    for (uint32_t i = 0; i < made; i++) {
        /* acquire: the starts of all that ended are seen. Pairs with the release in
           rt_p_count(). */
        ended += rt_load_acq(&rt_sched.ps[i].ended);
    }
    uint64_t spawned = rt_load_acq(&rt_sched.foreign_spawned);
    for (uint32_t i = 0; i < made; i++) {
        spawned += rt_load_acq(&rt_sched.ps[i].spawned);
    }
    return spawned - ended;
}

uint64_t rt_sched_reserve_ids(uint64_t count) {
    /* relaxed: only uniqueness matters. */
    return rt_add_rlx(&rt_sched.next_id, count);
}

static bool is_armed(const struct rt_clock *clock) {
    /* acquire: who finds that the last one is gone finds its firing counted. Pairs with the
       release in publish_next_locked() in time/timer.c. */
    return rt_load_acq(&clock->next_ns) != RT_WHEEL_NEVER;
}

bool rt_sched_timers_armed(void) {
    uint32_t made = rt_sched_made();
    bool armed = is_armed(&rt_sched.monitor_clock);
    for (uint32_t i = 0; i < made && !armed; i++) {
        armed = is_armed(&rt_sched.ps[i].clock);
    }
    return armed;
}

uint32_t rt_sched_timer_firings(void) {
    /* acquire, both: what the caller looks at next is read later. No partner. */
    uint32_t made = rt_sched_made();
    uint32_t sum = rt_load_acq(&rt_sched.monitor_clock.firings);
    for (uint32_t i = 0; i < made; i++) {
        sum += rt_load_acq(&rt_sched.ps[i].clock.firings);
    }
    return sum;
}

void rt_sched_ask_attention(uint32_t bits) {
    /* fence(sc): the phase before the number of Ps. Pairs with make_up_to() in
       procs.c. */
    rt_fence_sc();
    uint32_t made = rt_sched_made();
    for (uint32_t i = 0; i < made; i++) {
        /* acq_rel: stronger than needed; the owner sees it at some later scheduling. */
        rt_or_acqrel(&rt_sched.ps[i].attention, bits);
    }
}
