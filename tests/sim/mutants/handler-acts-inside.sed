# SPDX-License-Identifier: MIT
# A thread that is inside is stopped by the signal all the same.
# file: sched/preempt.c
# scenario: interrupted
/^static void on_interrupt/,/^}/ s/ || !rt_m_is_outside(m))/)/
