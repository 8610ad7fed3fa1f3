# SPDX-License-Identifier: MIT
# A spare M gets a P while the monitor sleeps for good, and does not wake it.
# file: sched/spare.c
# scenario: spare_rested
/^bool rt_spare_wait/,/^}/ s/rt_monitor_poke();//
