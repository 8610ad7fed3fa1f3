# SPDX-License-Identifier: MIT
# In starving mode an unlock passes the mutex on and frees it.
# file: sync/mutex.c
# scenario: mutex
/^static struct rt_waiter \*unlock_calling/,/^}/ s/ && w->result == RESULT_AWAKE//
