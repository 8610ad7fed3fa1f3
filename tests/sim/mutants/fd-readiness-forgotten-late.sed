# SPDX-License-Identifier: MIT
# Readiness is forgotten after the try and not before.
# file: net/polldesc.c
# scenario: fd_ready
/^static void announce/,/^}/ s/rt_spin_unlock(&way->lock);/&\n    clear(way, RT_POLLWAY_READY);/
