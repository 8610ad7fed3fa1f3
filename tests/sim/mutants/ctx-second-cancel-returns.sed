# SPDX-License-Identifier: MIT
# A cancel that finds another under way does not see to what is below.
# file: ctx/ctx.c
# scenario: ctx_cancel
/^void rt_ctx_end/,/^}/ s/^    end_one(root, err, cause);/    if (rt_load_acq(\&root->state) != RT_CTX_OPEN) {\n        wait_until_over(root);\n        return;\n    }\n&/
