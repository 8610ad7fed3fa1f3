# SPDX-License-Identifier: MIT
# An M that was woken does not know that it counts as a searcher.
# file: sched/idle.c
# scenario: compute
/^static void wake_p/,/^}/ s/m->spinning = true;//
