# SPDX-License-Identifier: MIT
# Who lies down in the poller overwrites the note that it was woken by.
# file: sched/note.c
# scenario: poll_break
/^bool rt_note_poll_begin/,/^}/ s/while (note != NOTE_WOKEN)/while (true)/
