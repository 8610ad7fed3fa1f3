# SPDX-License-Identifier: MIT
# An M whose P has been claimed goes on before it is woken.
# file: sched/idle.c
# scenario: expiry
/^static enum idle_end sleep_with/,/^}/ s/while (!back)/while (!back \&\& !is_claimed(p))/
