# SPDX-License-Identifier: MIT
# An M that was brought to a CPU to wake up there may run nowhere else from then on.
# file: sched/note.c
# scenario: all_kinds
/^static bool woken/,/^}/ s/!os_thread_let_go()/false/
