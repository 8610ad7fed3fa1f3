# SPDX-License-Identifier: MIT
# Who has been woken still waits for the next to wake it.
# file: net/polldesc.c
# scenario: fd_close
/^static struct rt_g \*notify/,/^}/ s/set = (word & RT_POLLWAY_BITS) | bits;/set = word | bits;/
