# SPDX-License-Identifier: MIT
# Who makes the channel of a context does not look again whether there is one.
# file: ctx/ctx.c
# scenario: ctx_ask
/^static RT_COLD void make_channel/,/^}/ s/if (!has_channel(state))/if (true)/
