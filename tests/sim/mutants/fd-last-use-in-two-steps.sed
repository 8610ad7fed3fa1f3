# SPDX-License-Identifier: MIT
# Who leaves a handle looks in a second step whether it was the last.
# file: net/fd.c
# scenario: fd_close
/^int rt_fd_unuse/,/^}/ {
    s/return rt_sub_acqrel(&f->uses, 1) == RT_FD_CLOSED + 1/rt_sub_acqrel(\&f->uses, 1);\n    return rt_load_acq(\&f->uses) == RT_FD_CLOSED/
}
