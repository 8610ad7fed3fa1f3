# SPDX-License-Identifier: MIT
# The memory of descriptors is freed although some are in use.
# file: net/polldesc.c
# scenario: poll_restart
/^void rt_polldesc_trim/,/^}/ s/if (pool.in_use == 0)/if (true)/
