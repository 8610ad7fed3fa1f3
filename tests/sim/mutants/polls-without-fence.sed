# SPDX-License-Identifier: MIT
# The monitor looks whether it was woken before others can see that it polls.
# file: sched/monitor.c
# scenario: poll_monitor
/^static void sleep_polling/,/^}/ s/rt_fence_sc();//
