# SPDX-License-Identifier: MIT
# A descriptor is taken from a poller that it was not added to.
# file: sched/poll.c
# scenario: poll_restart
/^void rt_poll_remove/,/^}/ s/number != 0 && rt_poll_number() == number/rt_poll_number() != 0/
