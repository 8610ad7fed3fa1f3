# SPDX-License-Identifier: MIT
# A goroutine gives way although it has turned that off.
# file: sched/preempt.c
# scenario: preempt_off
/^bool rt_preempt_may/,/^}/ s/g->preempt_off == 0 &&//
