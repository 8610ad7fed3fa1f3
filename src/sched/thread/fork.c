/* SPDX-License-Identifier: MIT */
/* Marks child processes, and ends those that call the parent's runtime. */
#include "sched/thread/fork.h"
#include "base/die.h"
#include "os/os.h"
#include "sched/syscall/enter.h"
#include "sched/thread/foreign.h"
#include "sched/sched.h"

struct rt_fork_state rt_fork_shared;

/* Start only. */
static bool watching;

void rt_fork_die(void) {
    rt_print("tuco: a child process of fork() cannot use the runtime of its parent: call "
             "exec or _exit there, or fork before tuco_run or tuco_start\n");
    os_exit(RT_EXIT_STATUS);
}

/* In the child, on its only thread, before fork() returns. */
static void on_child(void) {
    struct rt_m *m = arch_self();
    /* relaxed: there is no other thread */
    rt_store_rlx(&rt_fork_shared.generation, rt_fork_generation() + 1);
    if (rt_phase_now() == RT_STOPPED) {
        rt_foreign_forget_others();
        return;
    }
    /* relaxed, both: there is no other thread */
    rt_store_rlx(&rt_fork_shared.is_child, 1);
    if (m != NULL) {
        /* Replaces pending requests: a signal that happens to come finds nothing to do,
           and the next entry finds this bit. */
        rt_store_rlx(&m->asked, RT_ASKED_FORKED);
    }
}

int rt_fork_start(void) {
    int error = watching ? 0 : os_fork_watch(on_child);
    watching = error == 0;
    return error;
}
