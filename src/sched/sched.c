/* SPDX-License-Identifier: MIT */
/* The global scheduler state, and sums over all Ps and Ms. */
#include "sched/sched.h"
#include "base/wheel.h"

struct rt_sched rt_sched = {.lifecycle = RT_LOCK_INIT(lifecycle)};

/* Used only by arch_self(): see arch.h. */
__thread struct rt_m *rt_tls_m __attribute__((tls_model("initial-exec"), used));

uint64_t rt_sched_ended(void) {
    uint32_t made = rt_sched_made();
    uint64_t ended = 0;
    for (uint32_t i = 0; i < made; i++) {
        /* acquire: sees the spawns of all goroutines that have ended. Pairs with the
           release in rt_p_count(). */
        ended += rt_load_acq(&rt_sched.ps[i].ended);
    }
    return ended;
}

/*
 * Ends are summed before spawns, so a goroutine that is spawned and ends meanwhile makes
 * the result too large, never too small. So a result of 0 is exact: at the moment between
 * the two loops no goroutine was alive, and only a foreign thread can have spawned one
 * since.
 */
uint64_t rt_sched_live(void) {
    uint32_t made = rt_sched_made();
    uint64_t ended = rt_sched_ended();
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
    /* acquire: if the last timer is gone, its firing is seen counted. Pairs with the
       release in publish_next_locked() in sched/timers.c. */
    return rt_load_acq(&clock->next_ns) != RT_WHEEL_NEVER;
}

bool rt_sched_timers_armed(void) {
    uint32_t made = rt_sched_made();
    bool armed = is_armed(&rt_sched.sysmon_clock);
    for (uint32_t i = 0; i < made && !armed; i++) {
        armed = is_armed(&rt_sched.ps[i].clock);
    }
    return armed;
}

uint32_t rt_sched_timer_firings(void) {
    /* acquire: ordered before what the caller reads next. No partner. */
    uint32_t made = rt_sched_made();
    uint32_t sum = rt_load_acq(&rt_sched.sysmon_clock.firings);
    for (uint32_t i = 0; i < made; i++) {
        sum += rt_load_acq(&rt_sched.ps[i].clock.firings);
    }
    return sum;
}

uint64_t rt_sched_switches(void) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rt_sched_made(); i++) {
        sum += rt_p_switches(&rt_sched.ps[i]);
    }
    return sum;
}

void rt_sched_ask_attention(uint32_t bits) {
    /* fence(sc): the phase before made. Pairs with the fence in make_up_to() in
       procresize.c. */
    rt_fence_sc();
    /* Ps out of use need to know of STOP only. One that comes into use meanwhile is idle:
       the caller wakes it, or wake_for_more() in procresize.c does. */
    uint32_t end = (bits & RT_ATTENTION_STOP) != 0 ? rt_sched_made() : rt_sched_ps_end();
    for (uint32_t i = 0; i < end; i++) {
        rt_attention_set(&rt_sched.ps[i], bits);
    }
}

/* True if the thread of m certainly exists. */
static uint32_t is_there(const struct rt_m *m) {
    /* acquire: sees what was set up before. Pairs with m_enter() in thread.c. */
    return m != NULL && rt_load_acq(&m->number) > 0;
}

uint32_t rt_sched_ms_locked(void) {
    rt_assert_held(&rt_sched.lifecycle);
    uint32_t n = is_there(rt_sched.adopted_m);
    for (struct rt_m *m = rt_sched.all_m; m != NULL; m = m->all_next) {
        n += is_there(m);
    }
    return n;
}
