# SPDX-License-Identifier: MIT
# A select leaves the records of the cases that were not chosen in their queues.
# file: chan/select.c
# scenario: select_crossed
/^static int dequeue/,/^}/ s/} else {/} else if (false) {/
