# SPDX-License-Identifier: MIT
# A turn that is handed on can be had by another one as well.
# file: net/lane.c
# scenario: fd_turns
/^void rt_lane_pass/,/^}/ s/if (w == NULL) {/t->taken = false;\n    if (w == NULL) {/
