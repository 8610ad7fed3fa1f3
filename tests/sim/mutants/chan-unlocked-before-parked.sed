# SPDX-License-Identifier: MIT
# Who waits lets the lock go before its registers are saved.
# file: chan/chan.c
# scenario: chan_frames
/^static int wait_in/,/^}/ s/rt_wait(g, &c->lock, reason, pc);/rt_spin_unlock(\&c->lock);\n        rt_wait(g, \&(struct rt_spin){1}, reason, pc);/
