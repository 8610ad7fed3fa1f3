# SPDX-License-Identifier: MIT
# Who waits for a descriptor does not keep the report of a deadlock silent.
# file: sched/quiesce.c
# scenario: poll_deadlock
/^void rt_quiesce_check/,/^}/ s/!rt_poll_awaited([a-z_]*)/true/
