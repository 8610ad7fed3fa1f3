# SPDX-License-Identifier: MIT
# A descriptor is closed before the poller has been told.
# file: net/fd.c
# scenario: fd_reuse
/^static int close_watched/,/^}/ {
    s/rt_poll_remove(f->number, poller);//
    s/rt_polldesc_free(f->desc);/rt_poll_remove(f->number, poller);\n    &/
}
