# SPDX-License-Identifier: MIT
# A searcher that could not be started was the last, and nobody looks in its place.
# file: sched/idle.c
# scenario: refused_outside
/^static bool wake_p/,/^}/ s/return rt_thread_start(p) != 0 && set_aside(p);/if (rt_thread_start(p) != 0) {\n        set_aside(p);\n    }\n    return false;/
