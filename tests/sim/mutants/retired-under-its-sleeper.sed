# SPDX-License-Identifier: MIT
# An idle P is taken out of use, and the M that sleeps with it keeps it.
# file: sched/idle.c
# scenario: resize
/^bool rt_idle_claim_that/,/^}/ s/part(p);//
