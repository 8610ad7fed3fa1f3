# SPDX-License-Identifier: MIT
# A P with a timer that no thread could be had for becomes idle without one.
# file: sched/idle.c
# scenario: refused_sleep
/^static bool has_own_work/,/^}/ s/rt_clock_is_armed(&p->clock) || //
