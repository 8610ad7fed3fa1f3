# SPDX-License-Identifier: MIT
# A close leaves those in the queue who wait for their turn.
# file: net/lane.c
# scenario: fd_untold
/^void rt_lane_close/,/^}/ s/while ((w = rt_waitq_claim(&t->queue)) != NULL)/while (false)/
