# SPDX-License-Identifier: MIT
# Stop leaves the tag, so that a firing under way goes on.
# file: time/alarm.c
# scenario: thread_timers
/^static bool disarm_locked/,/^}/ { s/a->armed = false;//; s/a->timer.tag++;// }
