/* SPDX-License-Identifier: MIT */
/* What must hold whenever no thread of the runtime can go on. */
#include "oracle.h"
#include "machine.h"
#include "sched/find.h"
#include "sched/sched.h"

/* The machine is quiet and every buffer empty: these loads are memory itself. */
void sim_oracle_all_asleep(void) {
    if (rt_phase_now() != RT_RUNNING) {
        return; /* what is left in the queues then is left behind */
    }
    uint32_t queued = rt_find_pending(UINT32_MAX);
    if (queued > 0) {
        sim_fail("%u goroutines are queued, and every thread sleeps", queued);
    }
    for (uint32_t i = 0; i < rt_sched.procs; i++) {
        if (rt_load_rlx(&rt_sched.ps[i].runq.next) != NULL) {
            sim_fail("a goroutine is next on P %u, and every thread sleeps", i);
        }
    }
}
