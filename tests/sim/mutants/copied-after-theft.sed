# SPDX-License-Identifier: MIT
# A thief reads the slots after it has moved the head past them.
# file: sched/runq.c
# scenario: overflow
/^struct rt_g \*rt_runq_grab/,/^}/ {
    s/^        for (uint32_t i = 0; i < n; i++) {/        if (!rt_cas_acqrel(\&victim->head, \&h, h + n)) {\n            continue;\n        }\n&/
    s/^        if (!rt_cas_acqrel(&victim->head, &h, h + n)) {/        if (false) {/
}
