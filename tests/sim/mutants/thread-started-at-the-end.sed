# SPDX-License-Identifier: MIT
# A thread is started although the runtime ends.
# file: sched/thread.c
# scenario: left
/^static int start_and_link/,/^}/ s/rt_phase_now() != wanted ? -ECANCELED/false ? -ECANCELED/
