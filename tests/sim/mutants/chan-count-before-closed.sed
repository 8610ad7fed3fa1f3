# SPDX-License-Identifier: MIT
# Who looks for the end without the lock reads the count before the close.
# file: chan/chan.h
# scenario: chan_last
/^static inline bool rt_chan_is_over/,/^}/ s/rt_load_acq(&c->closed) != 0 && rt_load_rlx(&c->count) == 0/rt_load_rlx(\&c->count) == 0 \&\& rt_load_acq(\&c->closed) != 0/
