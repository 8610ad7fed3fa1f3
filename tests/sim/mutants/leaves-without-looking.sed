# SPDX-License-Identifier: MIT
# The last foreign thread leaves, and does not look whether that was all.
# file: sched/foreign.c
# scenario: foreign_deadlock
/^static void deactivate/,/^}/ s/rt_quiesce_check();//
