# SPDX-License-Identifier: MIT
# A P is out of use, and its timers with it.
# file: sched/procs.c
# scenario: resize
/^static void empty/,/^}/ s/rt_timers_leave(p);//
