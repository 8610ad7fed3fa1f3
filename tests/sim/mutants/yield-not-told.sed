# SPDX-License-Identifier: MIT
# The idle are not told of a goroutine that yields.
# file: sched/park.c
# scenario: hog
/^static RT_SAN_BETWEEN void after_yield/,/^}/ s/rt_idle_notify(1);//
