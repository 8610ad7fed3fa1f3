# SPDX-License-Identifier: MIT
# A signal readies one who is in the queue and still runs.
# file: sync/cond.c
# scenario: cond
/^void tuco_cond_signal/,/^}/ s/w != NULL && w->value != NULL/w != NULL/
