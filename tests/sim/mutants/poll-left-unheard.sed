# SPDX-License-Identifier: MIT
# Who leaves the poller without a P does not tell the monitor.
# file: sched/rest.c
# scenario: poll_resize
/^bool rt_rest/,/^}/ s/rt_monitor_poke();//
