# SPDX-License-Identifier: MIT
# Who wants a searcher and finds no idle P leaves no NEED behind.
# file: sched/idle.c
# scenario: refused_burst
/^static uint32_t reserve/,/^}/ s/rt_cas_sc(&rt_idle.word, &w, w | RT_IDLE_NEED)/true/
