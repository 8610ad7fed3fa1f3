# SPDX-License-Identifier: MIT
# Who leaves the poller does not see that it was woken meanwhile.
# file: sched/note.c
# scenario: poll_break
/^bool rt_note_poll_end/,/^}/ {
    s/return !rt_cas_acqrel(&m->note, &polling, NOTE_AWAKE) && woken(m);/rt_store_rel(\&m->note, NOTE_AWAKE);\n    return false;/
}
