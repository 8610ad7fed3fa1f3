# SPDX-License-Identifier: MIT
# Who makes a P idle does not look whether it is one too many.
# file: sched/idle.c
# scenario: resize_idle
/^static void retire_if_leaving/,/^}/ s/rt_procs_retire_unused(p);//
