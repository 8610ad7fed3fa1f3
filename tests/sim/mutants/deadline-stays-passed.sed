# SPDX-License-Identifier: MIT
# A deadline that has passed holds although it was moved.
# file: net/polldesc.c
# scenario: fd_deadline
/^static struct rt_g \*set_deadline_locked/,/^}/ s/clear(way, RT_POLLWAY_EXPIRED);//
