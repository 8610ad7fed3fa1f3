# SPDX-License-Identifier: MIT
# A spare M says that it is awake after others can take it, and wipes out its wake-up.
# file: sched/spare.c
# scenario: spares
/^static bool enlist/,/^}/ {
    /rt_note_reset(m);/d
    s/^    return open;/    rt_note_reset(m);\n&/
}
