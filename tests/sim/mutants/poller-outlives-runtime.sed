# SPDX-License-Identifier: MIT
# The poller is not told that the runtime has ended.
# file: runtime.c
# scenario: poll_restart
/^static void tear_down/,/^}/ s/rt_poll_end(true .*);//
