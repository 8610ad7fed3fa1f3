# SPDX-License-Identifier: MIT
# An M whose P has been claimed goes on before it is woken.
# file: sched/rest.c
# scenario: expiry
/^static enum rest_end sleep_with/,/^}/ s/while (!back)/while (!back \&\& !rt_idle_is_claimed(p))/
