# SPDX-License-Identifier: MIT
# Where there is no membarrier, the signal handler has no fence of its own either.
# file: sched/preempt.c
# scenario: urged
/^static void on_interrupt/,/^}/ s/rt_fence_sc();//
