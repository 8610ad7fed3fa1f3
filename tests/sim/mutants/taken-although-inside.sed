# SPDX-License-Identifier: MIT
# The monitor takes the P of a thread that is inside.
# file: sched/retake.c
# scenario: blocked
/^static bool take_claimed/,/^}/ s/rt_load_acq(&m->inside) == 0 &&//
