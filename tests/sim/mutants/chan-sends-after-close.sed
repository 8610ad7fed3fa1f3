# SPDX-License-Identifier: MIT
# A sender under the lock does not look whether the channel is closed.
# file: chan/chan.c
# scenario: chan_close
/RT_INLINE enum rt_chan_outcome send_locked/,/^}/ s/rt_load_rlx(&c->closed) != 0/false/
