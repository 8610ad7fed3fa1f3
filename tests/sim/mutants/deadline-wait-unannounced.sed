# SPDX-License-Identifier: MIT
# Who waits does not say so to who moves the deadline.
# file: net/polldesc.c
# scenario: fd_deadline
/^static void announce/,/^}/ s/rt_store_rlx(&way->waits, true);//
