# SPDX-License-Identifier: MIT
# Two threads poll at the same time.
# file: sched/poll.c
# scenario: poll_break
/^bool rt_poll_take/,/^}/ s/return rt_load_rlx(&poller.taken) == 0 && rt_swap_acqrel(&poller.taken, 1) == 0;/return true;/
