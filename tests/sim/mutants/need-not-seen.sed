# SPDX-License-Identifier: MIT
# Who gives a P up does not look whether somebody needed it.
# file: sched/idle.c
# scenario: given_up
/^bool rt_idle_give_up/,/^}/ s/ || (old & RT_IDLE_NEED) != 0)/)/
