# SPDX-License-Identifier: MIT
# A channel that is made after the end of its context is open.
# file: ctx/ctx.c
# scenario: ctx_ask
/^static RT_COLD void make_channel/,/^}/ s/closed, is_ended(state)/closed, 0/
