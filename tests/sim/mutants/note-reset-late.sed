# SPDX-License-Identifier: MIT
# An M says that it is awake after its P can be claimed, and wipes out its wake-up.
# file: sched/idle.c
# scenario: foreign
/^bool rt_idle_give_up/,/^}/ {
    /rt_note_reset(m);/d
    s/^    rt_fence_sc();/    rt_note_reset(m);\n&/
}
