/* SPDX-License-Identifier: MIT */
/* Marks child processes, and tells them what they cannot do. */
#include "sched/fork.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/enter.h"
#include "sched/foreign.h"
#include "sched/sched.h"

struct rt_fork_state rt_fork_shared;

/* Whoever starts the runtime. */
static bool watching;

void rt_fork_die(void) {
    rt_print("tuco: a child process of fork() cannot use the runtime of its parent: call "
             "exec or _exit there, or fork before tuco_run or tuco_start\n");
    os_exit(RT_EXIT_STATUS);
}

/* In the child, before fork() returns there, on its only thread. */
static void on_child(void) {
    struct rt_m *m = arch_self();
    if (rt_phase_now() == RT_STOPPED) {
        rt_foreign_forget_others();
        return;
    }
    rt_store_rlx(&rt_fork_shared.is_child, 1); /* relaxed, both: nobody else is there */
    if (m != NULL) {
        /* Instead of what it was asked for: a signal that comes by chance finds nothing to
           do, and whoever enters finds this first. */
        rt_store_rlx(&m->asked, RT_ASKED_FORKED);
    }
}

int rt_fork_start(void) {
    int error = watching ? 0 : os_fork_watch(on_child);
    watching = error == 0;
    return error;
}
