# SPDX-License-Identifier: MIT
# A descriptor is given back as it is, and its next user finds it closed.
# file: net/polldesc.c
# scenario: fd_reuse
/^static void reset/,/^}/ s/clear(way, RT_POLLWAY_BITS);//
