# SPDX-License-Identifier: MIT
# An M takes its wired goroutine again although others wait for the P.
# file: sched/bound.c
# scenario: wired
/^static bool must_wait/,/^}/ s/!rt_handoff_has_work(m->p)/true/
