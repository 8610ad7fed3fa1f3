# SPDX-License-Identifier: MIT
# Who sleeps in the poller is not woken there.
# file: sched/note.c
# scenario: poll_break
/^void rt_note_wake/,/^}/ s/rt_poll_break();//
