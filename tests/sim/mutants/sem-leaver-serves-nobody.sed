# SPDX-License-Identifier: MIT
# Who gives up in front of a semaphore does not let those behind him pass.
# file: sync/sem.c
# scenario: sem_front
/^static void leave_queue/,/^}/ s/serve_locked(s)/NULL/
