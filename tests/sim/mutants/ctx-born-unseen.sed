# SPDX-License-Identifier: MIT
# A context is put into the tree without a look whether what is above has ended.
# file: ctx/ctx.c
# scenario: ctx_derive
/^static bool link_if_open/,/^}/ s/bool open = .*;/bool open = true;/
