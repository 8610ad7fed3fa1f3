# SPDX-License-Identifier: MIT
# The owner moves the head without looking whether a thief has.
# file: sched/runq.h
# scenario: compute
/^static inline struct rt_g \*rt_runq_pop(/,/^}/ s/if (likely(rt_cas_acqrel(&q->head, &h, h + 1)))/rt_store_rel(\&q->head, h + 1);\n        if (true)/
