# SPDX-License-Identifier: MIT
# Goroutines that are bound to their threads always go first.
# file: sched/bound.c
# scenario: all_kinds
/^bool rt_bound_have_turn/,/^}/ s/rt_load_rlx(&p->schedtick) - .* >= .*;/true;/
