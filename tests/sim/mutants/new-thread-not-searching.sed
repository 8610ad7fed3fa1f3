# SPDX-License-Identifier: MIT
# A new thread does not know that it counts as a searcher.
# file: sched/spare.c
# scenario: compute
/^static bool take_wanted/,/^}/ s/m->spinning = true;/m->spinning = false;/
