# SPDX-License-Identifier: MIT
# A last searcher that has found work looks at the queues without a fence.
# file: sched/idle.c
# scenario: crowd
/^void rt_idle_found/,/^}/ s/rt_fence_heavy();//
