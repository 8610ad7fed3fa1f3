# SPDX-License-Identifier: MIT
# There are more Ps, and nobody looks whether there is work for them.
# file: sched/procs.c
# scenario: resize_crowd
/^static void wake_for_more/,/^}/ s/rt_idle_wake(pending);//
