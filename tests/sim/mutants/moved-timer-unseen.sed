# SPDX-License-Identifier: MIT
# Timers go from a P to the monitor, and who looks for the last one misses them.
# file: time/timer.c
# scenario: resize_sleep
/^static int64_t move_some_locked/,/^}/ s/rt_store_rlx(&from->clock->firings, .*$//
