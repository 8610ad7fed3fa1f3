# SPDX-License-Identifier: MIT
# The last searcher sleeps without another look at the queues.
# file: sched/idle.c
# scenario: compute
/^bool rt_idle_give_up/,/^}/ s/if (rt_find_surplus(1) > 0)/if (0)/
