# SPDX-License-Identifier: MIT
# Who looks for a deadlock misses the goroutine that a P without a thread would run next.
# file: sched/quiesce.c
# scenario: refused_sleep
s/ && !any_is_next() &&/ \&\&/
