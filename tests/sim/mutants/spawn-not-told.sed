# SPDX-License-Identifier: MIT
# The idle are not told of what a new goroutine drives out of the next slot.
# file: sched/park.c
# scenario: compute
/^void rt_queue_next/,/^}/ s/rt_idle_notify(1);//
