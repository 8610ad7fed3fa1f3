# SPDX-License-Identifier: MIT
# A handle counts as watched although its poller is gone.
# file: net/fd.c
# scenario: poll_restart
/^static int be_watched/,/^}/ s/rt_load_rlx(&f->poller) == poller/rt_load_rlx(\&f->poller) != 0/
