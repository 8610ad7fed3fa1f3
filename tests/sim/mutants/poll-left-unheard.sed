# SPDX-License-Identifier: MIT
# Who leaves the poller without a P does not tell the monitor.
# file: sched/idle.c
# scenario: poll_resize
/^bool rt_idle_park/,/^}/ s/rt_monitor_poke();//
