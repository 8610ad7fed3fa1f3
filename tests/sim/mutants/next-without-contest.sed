# SPDX-License-Identifier: MIT
# A thief takes the next goroutine without looking whether its owner has.
# file: sched/runq.c
# scenario: compute
/^bool rt_runq_steal_next/,/^}/ s/return rt_cas_acqrel(&victim->next, &g, NULL);/bool same = rt_load_acq(\&victim->next) == g;\n    if (same) {\n        rt_store_rel(\&victim->next, NULL);\n    }\n    return same;/
