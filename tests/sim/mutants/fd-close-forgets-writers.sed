# SPDX-License-Identifier: MIT
# A close wakes who reads, and not who writes.
# file: net/polldesc.c
# scenario: fd_close
/^void rt_polldesc_close/,/^}/ s/i < RT_POLLWAYS/i < 1/
