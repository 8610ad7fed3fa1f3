# SPDX-License-Identifier: MIT
# The end does not wait for foreign threads that are inside.
# file: sched/foreign.c
# scenario: restart
/^void rt_foreign_close/,/^}/ s/while ((active = rt_load_acq(&foreign.active)) != 0)/while ((active = 0) != 0)/
