# SPDX-License-Identifier: MIT
# Who has read all that there was waits although the end has been told of.
# file: net/polldesc.c
# scenario: fd_ready
/^int rt_polldesc_begin/,/^}/ s/return (word & RT_POLLWAY_MORE) != 0 ? 0 : RT_POLLDESC_SILENT;/return RT_POLLDESC_SILENT;/
