# SPDX-License-Identifier: MIT
# Readiness that nobody waits for is forgotten.
# file: net/polldesc.c
# scenario: fd_ready
/^static struct rt_g \*notify/,/^}/ {
    s/set = (word & RT_POLLWAY_BITS) | bits;/set = (word \& RT_POLLWAY_BITS) | (waiter_of(word) != NULL ? bits : 0);/
}
