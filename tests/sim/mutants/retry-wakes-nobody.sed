# SPDX-License-Identifier: MIT
# Ps without a thread are idle again, and nobody looks whether there is work for them.
# file: sched/idle.c
# scenario: refused_crowd
/^void rt_idle_retry_unstartable/,/^}/ s/if (rt_find_surplus(1) > 0)/if (0)/
