# SPDX-License-Identifier: MIT
# The monitor looks at the queues without a fence after it has made Ps idle again.
# file: sched/idle.c
# scenario: refused_crowd
/^void rt_idle_retry_unstartable/,/^}/ s/rt_fence_heavy();//
