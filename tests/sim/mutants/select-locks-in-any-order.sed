# SPDX-License-Identifier: MIT
# A select takes the locks in the order of its cases.
# file: chan/select.c
# scenario: select_orders
/^static void sort_channels/,/^}/ s/while (few && at > 0/while (false \&\& at > 0/
