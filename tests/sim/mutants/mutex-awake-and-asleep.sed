# SPDX-License-Identifier: MIT
# Who goes back to the queue of a mutex still counts as awake.
# file: sync/mutex.c
# scenario: mutex
/^static bool take_or_queue_locked/,/^}/ s/m->awake = false;/(void)0;/
