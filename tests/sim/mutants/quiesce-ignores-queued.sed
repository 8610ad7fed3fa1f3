# SPDX-License-Identifier: MIT
# A deadlock is reported while goroutines are queued.
# file: sched/quiesce.c
# scenario: fed
/^void rt_quiesce_check/,/^}/ s/rt_find_pending(1) == 0 &&/true \&\&/
