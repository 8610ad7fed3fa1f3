# SPDX-License-Identifier: MIT
# The monitor looks before others can see that it is dormant.
# file: sched/monitor.c
# scenario: dormant
/^static void sleep_dormant/,/^}/ s/rt_fence_sc();//
