# SPDX-License-Identifier: MIT
# A select that holds a lock yields while it waits for another.
# file: chan/select.c
# scenario: select_ticker
/^static void lock_all/,/^}/ s/rt_spin_lock_thread(/rt_spin_lock(/
