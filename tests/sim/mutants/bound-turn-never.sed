# SPDX-License-Identifier: MIT
# Goroutines that are bound to their threads go last.
# file: sched/bound.c
# scenario: all_kinds
/^bool rt_bound_have_turn/,/^}/ s/rt_load_rlx(&p->schedtick) - .* >= .*;/false;/
