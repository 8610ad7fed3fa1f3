# SPDX-License-Identifier: MIT
# A goroutine that is stopped does not let those go first who are in line.
# file: sched/bound.c
# scenario: all_kinds
/^void rt_bound_step_aside/,/^}/ s/rt_bound_set_turn(m->p);//
