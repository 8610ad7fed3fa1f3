# SPDX-License-Identifier: MIT
# The memory of a context does not keep that of the one that it was made from.
# file: ctx/ctx.c
# scenario: ctx_deadline
/^void rt_ctx_unpin/,/^}/ s/^        ctx = parent;/        return;/
/^void tuco_ctx_unref/,/^}/ s/? RT_CTX_HANDLE + RT_CTX_PIN :/? RT_CTX_HANDLE :/
/^void \*rt_ctx_make(/,/^}/ s/&parent->counts, .*;/\&parent->counts, RT_CTX_HANDLE);/
