# SPDX-License-Identifier: MIT
# The memory of a context does not keep that of the one that it was made from.
# file: ctx/ctx.c
# scenario: ctx_deadline
/^void rt_ctx_unpin/,/^}/ s/^        ctx = parent;/        return;/
/^void \*rt_ctx_make/,/^}/ s/^    pin(parent);//
