# SPDX-License-Identifier: MIT
# A goroutine that yields is queued before its registers are saved.
# file: sched/park.c
# scenario: yield
/^static RT_INLINE void yield_on/,/^}/ s/rt_switch(m, g, next, after_yield);/queue_put(m->p, g);\n    m->commit = NULL;\n    rt_switch(m, g, next, rt_after_switch);/
