# SPDX-License-Identifier: MIT
# The monitor is woken where it does not sleep.
# file: sched/monitor.c
# scenario: poll_break
/^void rt_monitor_wake(void)/,/^}/ s/rt_poll_break();/os_futex_wake(\&monitor.sequence, 1);/
