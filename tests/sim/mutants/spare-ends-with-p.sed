# SPDX-License-Identifier: MIT
# A spare M that was not needed for long ends although it has just been given a P.
# file: sched/spare.c
# scenario: spares
/^static bool wait_for_p/,/^}/ s/if (delist(m))/delist(m);\n        if (true)/
