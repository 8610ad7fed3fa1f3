# SPDX-License-Identifier: MIT
# A goroutine is published before its registers are saved.
# file: sched/park.c
# scenario: ping_pong
/^void rt_park/,/^}/ s/m->commit = commit;/commit(m, g, arg);\n    m->commit = NULL;/
