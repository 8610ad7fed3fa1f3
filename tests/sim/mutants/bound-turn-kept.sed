# SPDX-License-Identifier: MIT
# After its turn a bound goroutine has the next one as well.
# file: sched/find.c
# scenario: all_kinds
/^static bool hand_to_bound/,/^}/ s/rt_bound_set_turn(p);//
