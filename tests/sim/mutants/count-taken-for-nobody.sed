# SPDX-License-Identifier: MIT
# An M that comes back too late keeps what it took from the count of idle Ps.
# file: sched/idle.c
# scenario: foreign
/^bool rt_idle_come_back/,/^}/ s/wake_p(claim_p());//
