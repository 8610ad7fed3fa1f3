# SPDX-License-Identifier: MIT
# A thief moves the head without looking whether others have.
# file: sched/runq.c
# scenario: compute
/^struct rt_g \*rt_runq_grab/,/^}/ s/if (!rt_cas_acqrel(&victim->head, &h, h + n))/rt_store_rel(\&victim->head, h + n);\n        if (false)/
