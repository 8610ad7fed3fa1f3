# SPDX-License-Identifier: MIT
# A P with a timer that no thread could be had for becomes idle without one.
# file: sched/idle.c
# scenario: refused_sleep
/^static bool has_own_work/,/^}/ s/return rt_load_rlx(&p->clock.next_ns) != RT_WHEEL_NEVER ||/return/
