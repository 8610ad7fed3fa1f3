# SPDX-License-Identifier: MIT
# A searcher that could not be started was the last, and nobody looks in its place.
# file: sched/idle.c
# scenario: refused_outside
/^static void drop_searcher/,/^}/ s/if (rt_idle_spinning(old) == 1)/if (false)/
