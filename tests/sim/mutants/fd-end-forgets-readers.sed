# SPDX-License-Identifier: MIT
# The end of the runtime wakes those who write, and not those who read.
# file: net/polldesc.c
# scenario: poll_restart
/^void rt_polldesc_wake_all/,/^}/ s/OS_POLL_READ | OS_POLL_WRITE/OS_POLL_WRITE/
