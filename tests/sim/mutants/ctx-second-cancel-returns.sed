# SPDX-License-Identifier: MIT
# A cancel that finds another under way does not see to what is below.
# file: ctx/ctx.c
# scenario: ctx_cancel
/^void rt_ctx_end/,/^}/ s/^    struct rt_ctx_node \*child = end_one(root, err, cause);/    if (is_ended(rt_load_acq(\&root->ctx.state))) {\n        wait_until_over(root);\n        return;\n    }\n&/
