# SPDX-License-Identifier: MIT
# A timer goes to the monitor, which sleeps past it.
# file: time/timer.c
# scenario: resize_sleep
/^void rt_timers_leave/,/^}/ s/rt_monitor_wake_before(first_ns);//
