# SPDX-License-Identifier: MIT
# A goroutine counts as away only after its P has been handed on.
# file: sched/retake.c
# scenario: retaken
/^static bool take(/,/^}/ {
    /^    rt_sched_depart();/d
    /^        rt_sched_return();/d
    s/^    rt_handoff_at_once(p);/&\n    rt_sched_depart();/
}
