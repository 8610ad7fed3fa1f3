# SPDX-License-Identifier: MIT
# A bound goroutine is passed over again and again in favour of one that is near.
# file: sched/bound.c
# scenario: all_kinds
/^static struct rt_g \*choose_locked/,/^}/ s/bound.passed_over < PASSED_OVER_MAX ?/true ?/
