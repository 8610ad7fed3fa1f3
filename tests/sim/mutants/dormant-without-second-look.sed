# SPDX-License-Identifier: MIT
# The monitor goes dormant without looking once more whether all are idle.
# file: sched/monitor.c
# scenario: dormant
/^static void sleep_dormant/,/^}/ s/if (rt_idle_all() && !have_failures())/if (true)/
