# SPDX-License-Identifier: MIT
# The end does not look again for goroutines after it has closed the entry.
# file: runtime.c
# scenario: restart
/^static int stop(/,/^}/ s/if (rt_sched_live() == 0)/if (true)/
