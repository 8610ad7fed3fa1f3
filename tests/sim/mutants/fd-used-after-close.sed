# SPDX-License-Identifier: MIT
# A call gets in after the handle was closed.
# file: net/fd.c
# scenario: fd_close
/^int rt_fd_use/,/^}/ s/if (unlikely((uses & RT_FD_CLOSED) != 0))/if (false)/
