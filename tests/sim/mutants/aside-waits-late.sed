# SPDX-License-Identifier: MIT
# A stopped goroutine is runnable before its M says that it waits.
# file: sched/bound.c
# scenario: hogs_left
/^void rt_bound_step_aside/,/^}/ {
    s/^    m->waits_bound = !ends;/    /
    s/^    rt_bound_ready(g);/&\n    m->waits_bound = true;/
}
