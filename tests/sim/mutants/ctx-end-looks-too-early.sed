# SPDX-License-Identifier: MIT
# Who ends a context looks for its channel before he has the lock.
# file: ctx/ctx.c
# scenario: ctx_ask
/^static struct rt_ctx_node \*end_one/,/^}/ {
    s/^    lock(node);//
    s/^    uint32_t state = .*/&\n    lock(node);/
}
