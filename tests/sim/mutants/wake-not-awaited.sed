# SPDX-License-Identifier: MIT
# An M whose P has been claimed goes on before it is woken.
# file: sched/idle.c
# scenario: expiry
/^bool rt_idle_park/,/^}/ s/!come_back(m, p))/!come_back(m, p) \&\& !is_claimed(p))/
