# SPDX-License-Identifier: MIT
# Who had room for no more takes it that there is no more.
# file: net/io.c
# scenario: fd_ready
/^static int64_t note_read/,/^}/ s/(size_t)n < room/(size_t)n <= room/
