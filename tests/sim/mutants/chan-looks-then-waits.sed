# SPDX-License-Identifier: MIT
# Who finds the channel blocked looks, lets the lock go, and queues up later.
# file: chan/chan.c
# scenario: chan_many
/^static int wait_in/,/^}/ s/rt_waitq_push(q, w);/rt_spin_unlock(\&c->lock);\n        rt_spin_lock(\&c->lock);\n        rt_waitq_push(q, w);/
