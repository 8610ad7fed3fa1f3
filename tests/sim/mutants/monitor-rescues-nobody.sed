# SPDX-License-Identifier: MIT
# The monitor does not see to goroutines alone in a next slot.
# file: sched/monitor.c
# scenario: compute
/^static bool rescue_next/,/^}/ s/if (found)/if (0)/
