# SPDX-License-Identifier: MIT
# Who was awake and has the mutex does not see to the queue later.
# file: sync/mutex.c
# scenario: mutex
/^static void awake_no_more_locked/,/^}/ s/if (!rt_waitq_seems_empty(&m->queue))/if (0)/
