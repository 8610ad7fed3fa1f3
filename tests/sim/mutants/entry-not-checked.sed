# SPDX-License-Identifier: MIT
# A foreign thread enters although the end of the runtime has closed the entry.
# file: sched/foreign.c
# scenario: restart
/^\(static void enter\|void rt_foreign_enter_slow\)(/,/^}/ s/if (rt_load_rlx(&foreign.closed) == 0)/if (true)/
