# SPDX-License-Identifier: MIT
# A thread that enters goes on beside a claim without taking it back.
# file: sched/enter.c
# scenario: retaken
/^struct rt_m \*rt_enter_slow/,/^}/ s/deny(m, asked);/return m;/
