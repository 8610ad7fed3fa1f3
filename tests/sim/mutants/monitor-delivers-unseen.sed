# SPDX-License-Identifier: MIT
# The monitor's last timer is gone from its clock before its goroutine is queued.
# file: time/timer.c
# scenario: timer_last
/^static bool collect_locked/,/^}/ s/ts->delivering = more .*/ts->delivering = false;/
