# SPDX-License-Identifier: MIT
# The monitor sleeps on although an M has something to do again.
# file: sched/monitor.h
# scenario: foreign
s/if (unlikely(rt_load_rlx(&rt_monitor_dormant) != 0))/if (false)/
