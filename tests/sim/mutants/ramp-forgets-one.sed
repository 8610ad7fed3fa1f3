# SPDX-License-Identifier: MIT
# A searcher that has found work passes on only what is more than one goroutine.
# file: sched/idle.c
# scenario: crowd
/^void rt_idle_found/,/^}/ s/if (pending > 0)/if (pending > 1)/
