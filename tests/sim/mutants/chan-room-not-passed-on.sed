# SPDX-License-Identifier: MIT
# Who receives from a full buffer does not let the next sender in.
# file: chan/chan.c
# scenario: chan_room
/^static RT_INLINE enum rt_chan_outcome refill/,/^}/ s/if (!rt_waitq_seems_empty(&c->senders) &&/if (false \&\&/
