# SPDX-License-Identifier: MIT
# Who is about to wait does not look whether the descriptor has become ready.
# file: net/polldesc.c
# scenario: fd_ready
/^static void commit_wait/,/^}/ s/if ((word & RT_POLLWAY_ENDS) != 0)/if (false)/
