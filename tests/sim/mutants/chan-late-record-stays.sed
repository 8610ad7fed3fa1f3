# SPDX-License-Identifier: MIT
# Who gives up at its deadline leaves its record in the queue.
# file: chan/chan.c
# scenario: chan_until
/^static int wait_in/,/^}/ s/rt_waitq_remove(q, w);//
