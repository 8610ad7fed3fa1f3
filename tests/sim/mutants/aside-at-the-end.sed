# SPDX-License-Identifier: MIT
# A goroutine is stopped by a signal although the runtime ends, and nobody wakes its thread.
# file: sched/bound.c
# scenario: hogs_left
/^void rt_bound_step_aside/,/^}/ s/bool ends = bound.closed;/bool ends = false;/
