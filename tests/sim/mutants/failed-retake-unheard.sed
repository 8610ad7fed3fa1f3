# SPDX-License-Identifier: MIT
# The monitor counts a thread as away in vain, and does not look whether it was the last.
# file: sched/retake.c
# scenario: retaken_stop
/^static bool take(/,/^}/ s/rt_quiesce_check();//
