# SPDX-License-Identifier: MIT
# Who has found ready ones and lost its P puts them there all the same.
# file: sched/rest.c
# scenario: poll_taken
/^static enum rest_end sleep_with/,/^}/ s/rt_poll_deliver(back ? m->p : NULL, &r.ready);/rt_poll_deliver(p, \&r.ready);/
