# SPDX-License-Identifier: MIT
# Who has found ready ones and lost its P drops them.
# file: sched/rest.c
# scenario: poll_break
/^static enum rest_end sleep_with/,/^}/ s/if (r.ready.count > 0)/if (back \&\& r.ready.count > 0)/
