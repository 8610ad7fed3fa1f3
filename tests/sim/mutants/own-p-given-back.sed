# SPDX-License-Identifier: MIT
# A stopped goroutine is runnable before its P has been handed on.
# file: sched/bound.c
# scenario: turns
/^void rt_bound_step_aside/,/^}/ {
    /^    rt_bound_ready(g);/d
    s/^    rt_handoff_at_once(drop_p(m));/    rt_bound_ready(g);\n&/
}
