# SPDX-License-Identifier: MIT
# A select takes its default after looking at one channel after the other.
# file: chan/select.c
# scenario: select_default
/^static int select_until/,/^}/ s/ && s.channels <= 1) {/) {/
