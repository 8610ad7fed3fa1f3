# SPDX-License-Identifier: MIT
# A select lets its locks go before its registers are saved.
# file: chan/select.c
# scenario: select_crossed
/^static int select_locked/,/^}/ {
    s/enqueue(s, g, ticket);/enqueue(s, g, ticket);\n    unlock_all(s);/
    s/s->room.count > 0 ? unlock_all : unlock_none/unlock_none/
}
