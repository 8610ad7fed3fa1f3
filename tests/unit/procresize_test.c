/* SPDX-License-Identifier: MIT */
/* Proves: sysmon sets a new number of processors only if the program has not set one
   meanwhile; a P that retires has no turn left. */
#include "sched/procresize.h"
#include "sched/p.h"
#include "sched/sched.h"
#include "sched/syscall/enter.h"
#include "test.h"

static uint32_t look(void) {
    rt_enter();
    uint32_t seen = rt_procs_follows();
    rt_leave();
    return seen;
}

static void follow(int procs, uint32_t seen) {
    rt_enter();
    rt_procs_follow((uint32_t)procs, seen);
    rt_leave();
}

/* Sysmon counts CPUs and sets the number. In between the program has set another number
   and made it follow again. */
static int late_main(void *arg) {
    (void)arg;
    uint32_t seen = look();
    ASSERT_NE(seen, 0);
    tuco_procs(3);
    ASSERT_EQ(look(), 0);
    int procs = tuco_procs_auto();
    follow(procs + 1, seen);
    ASSERT_EQ(tuco_procs(0), procs);
    return 0;
}

TEST(late_number_is_not_followed) {
    test_setenv("TUCOPROCS", NULL);
    RUN(late_main);
}

/* Sysmon may set it back meanwhile. */
static int at_once_main(void *arg) {
    (void)arg;
    int procs = tuco_procs_auto();
    do {
        follow(procs + 1, look());
    } while (tuco_procs(0) != procs + 1);
    return 0;
}

TEST(number_is_followed) {
    test_setenv("TUCOPROCS", NULL);
    RUN(at_once_main);
}

/* The last P is in the turn of a goroutine from its yieldq when it retires. */
static int retired_main(void *arg) {
    (void)arg;
    struct rt_p *p = &rt_sched.ps[1];
    rt_enter();
    p->yielded_ns = 1;
    rt_leave();
    tuco_procs(1);
    for (bool retired = false; !retired;) {
        tuco_yield();
        rt_enter();
        retired = rt_sched_ps_end() == 1;
        rt_leave();
    }
    ASSERT_EQ(p->yielded_ns, 0);
    return 0;
}

TEST(time_out_of_use_is_no_turn) {
    test_setenv("TUCOPROCS", "2");
    RUN(retired_main);
}
