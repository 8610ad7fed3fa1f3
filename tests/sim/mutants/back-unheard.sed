# SPDX-License-Identifier: MIT
# Who comes back without a P counts as away for a moment too long, and does not look whether it was the last.
# file: sched/park.c
# scenario: retaken_stop
/^static void commit_back/,/^}/ s/rt_quiesce_check();//
