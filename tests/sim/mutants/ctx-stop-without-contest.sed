# SPDX-License-Identifier: MIT
# Who stops a call looks at its state, and then changes it.
# file: ctx/after.c
# scenario: ctx_stop
/^bool tuco_ctx_after_stop/,/^}/ {
    s/if (!rt_ctx_take(node))/if (rt_load_acq(\&node->ctx.state) != 0)/
    s/^    if (node->ctx.above != NULL)/    rt_store_rel(\&node->ctx.state, RT_CTX_ENDED);\n&/
}
