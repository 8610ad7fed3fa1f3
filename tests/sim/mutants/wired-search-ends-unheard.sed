# SPDX-License-Identifier: MIT
# A searcher that gives its P to a wired goroutine does not look whether that was the last.
# file: sched/find.c
# scenario: wired_stop
/^static bool hand_to_bound/,/^}/ s/stop_without_p(m);/if (m->spinning) { rt_idle_found(m); }/
