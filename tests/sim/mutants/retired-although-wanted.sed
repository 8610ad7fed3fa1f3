# SPDX-License-Identifier: MIT
# A P goes out of use although it is wanted again.
# file: sched/procs.c
# scenario: resize
/^bool rt_procs_retire(/,/^}/ s/bool leaves = rt_procs_is_leaving(p);/bool leaves = true;/
