# SPDX-License-Identifier: MIT
# An M that lies down overwrites the note that it was woken by.
# file: sched/note.c
# scenario: foreign
/^static bool sleep_until_woken/,/^}/ {
    s/if (!rt_cas_acqrel(&m->note, &awake, NOTE_ASLEEP) && awake == NOTE_WOKEN)/rt_store_rel(\&m->note, NOTE_ASLEEP);\n    if (awake == NOTE_WOKEN)/
}
