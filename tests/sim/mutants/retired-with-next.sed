# SPDX-License-Identifier: MIT
# A P is out of use, and the goroutine in its next slot with it.
# file: sched/procs.c
# scenario: resize
/^static uint32_t move_goroutines/,/^}/ s/= rt_runq_pop_next(&p->runq);/= NULL;/
