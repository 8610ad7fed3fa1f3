# SPDX-License-Identifier: MIT
# A close wakes those who wait to receive, and not those who wait to send.
# file: chan/chan.c
# scenario: chan_close
/^static void close_locked/,/^}/ s/list = claim_all(c, &c->senders, list);//
