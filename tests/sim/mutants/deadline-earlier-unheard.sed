# SPDX-License-Identifier: MIT
# An earlier deadline does not arm the timer of who waits.
# file: net/polldesc.c
# scenario: fd_deadline
/^static struct rt_g \*set_deadline_locked/,/^}/ s/watch_clock_locked(way);//
