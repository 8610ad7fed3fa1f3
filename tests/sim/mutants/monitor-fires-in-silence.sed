# SPDX-License-Identifier: MIT
# The monitor has fired the last timer and does not look whether anything is left.
# file: sched/monitor.c
# scenario: timer_deadlock
/^static void fire_timers/,/^}/ s/rt_quiesce_check();//
