# SPDX-License-Identifier: MIT
# Nobody is woken for the timers of a processor that computes.
# file: sched/monitor.c
# scenario: hog_timers
/^static void rescue_timers/,/^}/ { s/rt_idle_wake(1);//; s/rt_or_acqrel(&p->attention, RT_ATTENTION_TIMERS);// }
