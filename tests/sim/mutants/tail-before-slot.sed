# SPDX-License-Identifier: MIT
# The ring's tail moves before its slot is filled.
# file: sched/runq.h
# scenario: compute
/^static inline bool rt_runq_put(/,/^}/ {
    s/rt_store_rlx(&q->slots\[t % RT_RUNQ_SLOTS\], g);/rt_store_rel(\&q->tail, t + 1);/
    s/^    return true;/    rt_store_rlx(\&q->slots[t % RT_RUNQ_SLOTS], g);\n&/
}
