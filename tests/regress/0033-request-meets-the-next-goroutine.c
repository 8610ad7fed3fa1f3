/* SPDX-License-Identifier: MIT */
/* Proves: a request to yield applies to the goroutine that sysmon saw, and not to the
   next goroutine on its thread. */
/*
 * Bug. Sysmon saw a goroutine compute while a timer was due, and requested that it yields.
 * At that moment it yielded by itself, and its M fired the timer and switched to the woken
 * goroutine, which met the request at its next call. So it went behind all goroutines that
 * had yielded: of 2,000 requests to a pool beside goroutines that compute 2 ms and yield, 2
 * or 3 waited for 4 ms.
 *
 * Fix. The request names the switch after which the goroutine ran.
 *
 * Fails without it: other runs in every round.
 */
/* fixed procs */
#include "arch/arch.h"
#include "sched/p.h"
#include "sched/sysmon/preempt.h"
#include "test.h"

#define ROUNDS 200

static atomic_int turns;
static atomic_bool ended;

static void other(void *unused) {
    (void)unused;
    while (!atomic_load(&ended)) {
        atomic_fetch_add(&turns, 1);
        tuco_yield();
    }
}

/* Requests, calls the runtime, and returns how often other ran then. */
static int turns_after_request(uint32_t switches_ago) {
    struct rt_m *m = arch_self();
    int before = atomic_load(&turns);
    rt_preempt_ask(m, rt_p_switches(m->p) - switches_ago, true);
    tuco_checkpoint();
    return atomic_load(&turns) - before;
}

static int run_main(void *unused) {
    (void)unused;
    int obeyed = 0;
    int dropped = 0;
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_wg_go(&wg, other, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        obeyed += turns_after_request(0) > 0;
        dropped += turns_after_request(1) == 0;
    }
    /* on a busy machine sysmon itself may request, or take the P */
    ASSERT_GE(obeyed, ROUNDS / 2);
    ASSERT_GE(dropped, ROUNDS / 2);
    atomic_store(&ended, true);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(request_meets_the_next_goroutine) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
