# SPDX-License-Identifier: MIT
# The monitor reads what it sleeps on after its last look, and misses the change.
# file: sched/monitor.c
# scenario: dormant
/^static void sleep_\(dormant\|until\)/,/^}/ {
    s/os_futex_wait(&monitor.sequence, sequence,/os_futex_wait(\&monitor.sequence, rt_load_acq(\&monitor.sequence),/
}
