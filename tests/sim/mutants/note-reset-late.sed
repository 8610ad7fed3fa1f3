# SPDX-License-Identifier: MIT
# An M says that it is awake after its P can be claimed, and wipes out its wake-up.
# file: sched/idle.c
# scenario: foreign
/^static bool give_up/,/^}/ {
    /rt_store_rlx(&m->note, NOTE_AWAKE)/d
    s/^    bit_set(maps.parked, p->id);/&\n    rt_store_rlx(\&m->note, NOTE_AWAKE);/
}
