# SPDX-License-Identifier: MIT
# The end of the runtime wakes all who wait, and then tells that there is no poller.
# file: sched/poll.c
# scenario: poll_restart
/^void rt_poll_end/,/^}/ {
    s/!forget_number()/rt_poll_number() == 0/
    s/if (nobody_left) {/(void)forget_number();\n    &/
}
