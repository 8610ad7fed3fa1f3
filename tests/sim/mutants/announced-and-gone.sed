# SPDX-License-Identifier: MIT
# The last thread that announced itself leaves, and nobody looks whether that was all.
# file: sched/foreign.c
# scenario: foreign_deadlock
/^void tuco_foreign_exit/,/^}/ s/if (before == 1)/if (0)/
