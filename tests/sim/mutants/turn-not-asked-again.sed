# SPDX-License-Identifier: MIT
# Who waits for a turn does not look whether it has come by now.
# file: net/lane.c
# scenario: fd_turns
/^static int wait_for/,/^}/ s/int result = try_locked(t);/int result = RT_WAIT_PENDING;/
