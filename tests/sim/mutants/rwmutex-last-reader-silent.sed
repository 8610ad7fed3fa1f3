# SPDX-License-Identifier: MIT
# The last reader does not pass the lock on to the writer who waits.
# file: sync/rwmutex.c
# scenario: rwmutex
/^static void runlock(/,/^}/ s/is_last_reader(s)/0/
