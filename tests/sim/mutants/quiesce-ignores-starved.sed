# SPDX-License-Identifier: MIT
# A deadlock is reported while goroutines wait for a stack.
# file: sched/quiesce.c
# scenario: starved
/^void rt_quiesce_check/,/^}/ s/rt_load_rlx(&rt_sched.starved) == 0;/true;/
