# SPDX-License-Identifier: MIT
# A foreign thread that waits still counts as one that could wake others.
# file: sched/foreign.c
# scenario: foreign_deadlock
/^void rt_foreign_\(wait\|park\)/,/^}/ s/deactivate();//
/^void rt_foreign_wake/,/^}/ s/rt_add_sc(&foreign.active, 1);//
