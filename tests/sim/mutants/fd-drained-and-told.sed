# SPDX-License-Identifier: MIT
# Who has read all that there was waits although more has been told of.
# file: net/polldesc.c
# scenario: fd_ready
/^int rt_polldesc_begin/,/^}/ s/return 0;/return RT_POLLDESC_SILENT;/
