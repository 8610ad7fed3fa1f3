# SPDX-License-Identifier: MIT
# Who brings more Ps looks at the queues without a fence.
# file: sched/procs.c
# scenario: resize_more
/^static void wake_for_more/,/^}/ s/rt_fence_heavy();//
