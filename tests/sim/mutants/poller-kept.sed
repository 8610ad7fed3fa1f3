# SPDX-License-Identifier: MIT
# Who has looked does not give the poller back.
# file: sched/poll.c
# scenario: fd_ready
/^static bool look/,/^}/ s/rt_poll_give();//
