# SPDX-License-Identifier: MIT
# Who gives up leaves its record in the queue of the mutex.
# file: sync/mutex.c
# scenario: mutex
/^static void leave_queue/,/^}/ s/rt_waitq_remove(&m->queue, w);//
