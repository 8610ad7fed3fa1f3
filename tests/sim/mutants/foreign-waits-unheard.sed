# SPDX-License-Identifier: MIT
# A foreign thread that waits for a descriptor does not tell the monitor.
# file: sched/poll.c
# scenario: poll_foreign
/^void rt_poll_wait_begin/,/^}/ s/rt_monitor_poke();//
