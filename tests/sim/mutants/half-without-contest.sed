# SPDX-License-Identifier: MIT
# The owner of a full ring takes half of it without looking whether thieves have.
# file: sched/runq.c
# scenario: overflow
/^uint32_t rt_runq_take_half/,/^}/ s/return rt_cas_acqrel(&q->head, &h, h + n) ? n : 0;/rt_store_rel(\&q->head, h + n);\n    return n;/
