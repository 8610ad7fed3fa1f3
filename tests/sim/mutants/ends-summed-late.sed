# SPDX-License-Identifier: MIT
# Waits that have ended are counted after the look at the idle ones.
# file: sched/quiesce.c
# scenario: fd_talk
/^void rt_quiesce_check/,/^}/ s/rt_poll_awaited(polls_ended)/rt_poll_awaited(rt_poll_waits_ended())/
