# SPDX-License-Identifier: MIT
# Who wants a certain P and finds it gone keeps what it took from the count.
# file: sched/idle.c
# scenario: resize_crowd
/^bool rt_idle_claim_that/,/^}/ s/count_idle();//
