# SPDX-License-Identifier: MIT
# An M sleeps with its P, and does not look whether that is one too many.
# file: sched/idle.c
# file: sched/rest.c
# scenario: resize_idle
s/^\(    bool unwanted = (attention & \)(RT_ATTENTION_STOP | RT_ATTENTION_RETIRE)) != 0;/\1RT_ATTENTION_STOP) != 0;/
s/unlikely(rt_procs_is_leaving(p)) ? REST_LEAVES : sleep_idle(/sleep_idle(/
