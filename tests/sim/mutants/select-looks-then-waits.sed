# SPDX-License-Identifier: MIT
# A select lets its locks go between its look and its records.
# file: chan/select.c
# scenario: select_close
/^static int select_locked/,/^}/ s/uint32_t ticket = rt_claim_new(g);/unlock_all(s);\n    lock_all(s);\n    uint32_t ticket = rt_claim_new(g);/
