# SPDX-License-Identifier: MIT
# Of several wakers each takes itself for the winner.
# file: sched/wait.h
# scenario: select_crossed
/^static inline bool rt_claim_try/,/^}/ s/return rt_cas_acqrel(&g->claim, &ticket, ticket + 1);/rt_store_rel(\&g->claim, ticket + 1);\n    return true;/
