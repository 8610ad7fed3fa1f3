/* SPDX-License-Identifier: MIT */
/* What sysmon sleeps on, and how other threads wake it. */
#include "sched/sysmon/sysmonnote.h"
#include "os/os.h"
#include "sched/netpoll/pollset.h"

struct rt_sysmonnote rt_sysmonnote;
rt_atomic(uint32_t) rt_sysmon_dormant;
rt_atomic(uint32_t) rt_sysmon_drowsy;

void rt_sysmon_wake(void) {
    /* sc: after what sysmon is woken for; sysmon reads that after the sequence. Pairs
       with the acquire in sysmon_main(). */
    rt_add_sc(&rt_sysmonnote.sequence, 1);
    /* fence(sc): the sequence before polls. Pairs with the fence in sleep_polling(). */
    rt_fence_sc();
    /* acquire: the poller exists. Pairs with the release in sleep_polling(). */
    if (rt_load_acq(&rt_sysmonnote.polls)) {
        rt_netpoll_break();
    } else {
        os_futex_wake(&rt_sysmonnote.sequence, 1);
    }
}

void rt_sysmon_wake_before(int64_t when_ns) {
    /* fence(sc): the timer before sleeps_until. Pairs with the fence in
       sysmon_sleep_until(). */
    rt_fence_sc();
    /* relaxed: ordered by the fence */
    if (rt_load_rlx(&rt_sysmonnote.sleeps_until) > when_ns) {
        rt_sysmon_wake();
    }
}

void rt_sysmon_help(void) {
    /* acq_rel: atomic, so that a request wakes sysmon once; publishes nothing. */
    if (rt_load_rlx(&rt_sysmonnote.helping) == 0 &&
        rt_swap_acqrel(&rt_sysmonnote.helping, 1) == 0) {
        rt_sysmon_wake();
    }
}
