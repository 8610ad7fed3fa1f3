# SPDX-License-Identifier: MIT
# Who sleeps in the poller sleeps past its first timer.
# file: sched/poll.c
# scenario: poll_break
/^bool rt_poll_sleep/,/^}/ s/collect(OS_POLL_EVENTS_MAX, deadline_ns, ready);/collect(OS_POLL_EVENTS_MAX, OS_NEVER, ready);/
