# SPDX-License-Identifier: MIT
# An M on its way to sleep does not look whether the runtime ends.
# file: sched/idle.c
# scenario: stop
/^bool rt_idle_give_up/,/^}/ s/if (\(stop\|unwanted\) || /if (/
