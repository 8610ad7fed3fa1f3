# SPDX-License-Identifier: MIT
# Who comes to wait for a turn after the close is not sent away.
# file: net/lane.c
# scenario: fd_untold
/^void rt_lane_close/,/^}/ s/t->closed = true;//
