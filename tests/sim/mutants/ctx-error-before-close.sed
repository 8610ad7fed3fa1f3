# SPDX-License-Identifier: MIT
# A context tells its error before its channel is closed.
# file: ctx/ctx.c
# scenario: ctx_cancel
/^static bool is_over/,/^}/ s/return .*;/return rt_load_acq(\&ctx->state) != RT_CTX_OPEN;/
