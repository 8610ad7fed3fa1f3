# SPDX-License-Identifier: MIT
# The first to leave a closed handle closes the descriptor.
# file: net/fd.c
# scenario: fd_close
/^int rt_fd_unuse/,/^}/ s/== RT_FD_CLOSED + 1/>= RT_FD_CLOSED + 1/
