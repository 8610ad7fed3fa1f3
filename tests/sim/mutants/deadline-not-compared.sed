# SPDX-License-Identifier: MIT
# A timer that fires is taken for the deadline, which may have moved.
# file: net/polldesc.c
# scenario: fd_deadline
/^static void deadline_fired/,/^}/ s/} else if (deadline_of(way) <= now_ns) {/} else if (true) {/
