# SPDX-License-Identifier: MIT
# A context tells its error before its channel is closed.
# file: ctx/ctx.c
# scenario: ctx_cancel
/^static bool is_over/,/^}/ s/(!has_channel(state) || .*/true;/
