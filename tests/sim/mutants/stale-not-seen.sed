# SPDX-License-Identifier: MIT
# The monitor does not poll although nobody has for long.
# file: sched/monitor.c
# scenario: poll_busy
/^static void monitor_main/,/^}/ s/stale_ns <= now);/false);/
