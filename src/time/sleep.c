/* SPDX-License-Identifier: MIT */
/* tuco_sleep(): parks a goroutine until a deadline. */
#include "os/os.h"
#include "sched/park.h"
#include "sched/waitq.h"
#include "sched/timers.h"

#include <tuco/time.h>

/* A goroutine that sleeps for ever gets no timer and is never woken. */
static void commit_sleep(struct rt_m *m, struct rt_g *g, void *arg) {
    int64_t deadline_ns = (int64_t)(intptr_t)arg;
    (void)m;
    if (deadline_ns != TUCO_NEVER) {
        rt_timer_arm_g(g, rt_claim_new(g), deadline_ns);
    }
}

_Static_assert(sizeof(void *) == sizeof(int64_t), "a deadline fits into a pointer");

/* A foreign thread waits on a futex that is never woken. */
static void sleep_as_thread(int64_t deadline_ns) {
    rt_atomic(uint32_t) never_woken = 0;
    while (os_now() < deadline_ns) {
        os_futex_wait(&never_woken, 0, deadline_ns);
    }
}

static void sleep_until(int64_t deadline_ns, const void *pc) {
    struct rt_m *m = arch_self();
    if (unlikely(m == NULL)) {
        sleep_as_thread(deadline_ns);
        return;
    }
    rt_park(rt_m_enter(m), commit_sleep, (void *)(intptr_t)deadline_ns, RT_WAIT_sleep,
            pc);
    rt_m_leave(arch_self());
}

void tuco_sleep(tuco_duration duration) {
    if (duration > 0) {
        sleep_until(tuco_deadline(duration), __builtin_return_address(0));
    }
}

void tuco_sleep_until(tuco_time deadline) {
    if (deadline > os_now()) {
        sleep_until(deadline, __builtin_return_address(0));
    }
}
