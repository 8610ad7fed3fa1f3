# SPDX-License-Identifier: MIT
# Who marks Ps does not take out those that nobody has.
# file: sched/procs.c
# scenario: resize
/^static void retire_unused/,/^}/ s/rt_procs_retire_unused(&rt_sched.ps\[i\]);//
