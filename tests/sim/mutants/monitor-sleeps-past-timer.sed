# SPDX-License-Identifier: MIT
# A thread sets a timer and does not wake the monitor, which sleeps longer.
# file: time/timer.c
# scenario: thread_timers
/^static void arm(/,/^}/ s/rt_monitor_wake_before(.*);//
