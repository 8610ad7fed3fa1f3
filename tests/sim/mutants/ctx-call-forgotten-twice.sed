# SPDX-License-Identifier: MIT
# A call that is being made is given up with its context as if it waited.
# file: ctx/ctx.c
# scenario: ctx_deadline
/^static struct rt_ctx_node \*stop_one_call/,/^}/ s/\*mine = rt_ctx_take(call);/*mine = true;/
