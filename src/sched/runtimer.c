/* SPDX-License-Identifier: MIT */
/* runtimer: fires the timers that are due. The rules are in timers.h. */
#include "sched/runtimer.h"
#include "os/os.h"
#include "sched/m.h"
#include "sched/park.h"
#include "sched/timers.h"

static void deliver(const struct rt_timers_batch *b, int64_t now_ns) {
    if (b->goroutines != NULL) {
        rt_ready_list(b->goroutines);
    }
    for (uint32_t i = 0; i < b->others_count; i++) {
        struct rt_timer *t = b->others[i].timer;
        t->fire(t, b->others[i].tag, now_ns);
    }
}

static int64_t slice_end(int64_t now_ns, bool is_owner) {
    return now_ns + (is_owner ? RT_TIMERS_SLICE_NS : RT_TIMERS_THIEF_NS);
}

bool rt_timers_run(struct rt_p *p, int64_t now_ns, bool is_owner) {
    struct rt_timers_batch b;
    const struct rt_runq *thief_runq = is_owner ? NULL : &arch_self()->p->runq;
    int64_t end_ns = slice_end(now_ns, is_owner);
    bool more = true;
    while (more && now_ns < end_ns) {
        if ((!is_owner && rt_runq_has_any(thief_runq)) ||
            !rt_timers_take(p, now_ns, is_owner, &b)) {
            rt_cpu_relax();
            return true;
        }
        more = b.more;
        deliver(&b, now_ns);
        now_ns = more ? os_now() : now_ns;
    }
    return more;
}

void rt_timers_run_sysmon(int64_t now_ns) {
    struct rt_timers_batch b = {.more = true};
    int64_t end_ns = slice_end(now_ns, true /* owner */);
    while (b.more && now_ns < end_ns) {
        rt_timers_take_sysmon(now_ns, &b);
        deliver(&b, now_ns);
        now_ns = b.more ? os_now() : now_ns;
    }
}
