# SPDX-License-Identifier: MIT
# The monitor looks for a searcher before others can see that what a P keeps is for them.
# file: sched/monitor.c
# scenario: poll_kept
/^static bool rescue_next/,/^}/ s/rt_idle_notify(1);/rt_idle_wake(1);/
