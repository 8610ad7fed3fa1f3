# SPDX-License-Identifier: MIT
# A last searcher that has found work does not pass the search on.
# file: sched/idle.c
# scenario: crowd
/^void rt_idle_found/,/^}/ s/if (pending > 0)/if (0)/
