# SPDX-License-Identifier: MIT
# The monitor sleeps for good, and not in the poller.
# file: sched/monitor.c
# scenario: poll_foreign
/^static void sleep_dormant/,/^}/ s/rt_poll_wanted());/false);/
