# SPDX-License-Identifier: MIT
# Who waits for a signal does not look whether it has come before he parks.
# file: sync/cond.c
# scenario: cond
/^static int wait_for_signal/,/^}/ {
    0,/if (w->result != RT_WAIT_PENDING)/ s/if (w->result != RT_WAIT_PENDING)/if (0)/
}
