# SPDX-License-Identifier: MIT
# A P is given to the M of a wired goroutine although it does not wait.
# file: sched/bound.c
# scenario: wired
/^static struct rt_g \*next_waiting/,/^}/ s/while (g != NULL && !g->bound_m->waits_bound)/while (false)/
