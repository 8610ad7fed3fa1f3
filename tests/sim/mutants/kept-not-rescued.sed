# SPDX-License-Identifier: MIT
# The monitor does not see to those that a P keeps.
# file: sched/monitor.c
# scenario: poll_kept
/^static bool next_is_stuck/,/^}/ s/|| rt_runq_kept(&p->runq) > 0//
