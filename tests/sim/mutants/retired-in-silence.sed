# SPDX-License-Identifier: MIT
# Goroutines of a P that goes out of use are queued, and nobody is told.
# file: sched/procs.c
# scenario: resize
/^static void empty/,/^}/ s/rt_idle_notify(moved);//
