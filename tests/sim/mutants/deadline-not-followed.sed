# SPDX-License-Identifier: MIT
# A timer that fires before the deadline is not armed again.
# file: net/polldesc.c
# scenario: fd_deadline
/^static void deadline_fired/,/^}/ s/watch_clock_locked(way);//
