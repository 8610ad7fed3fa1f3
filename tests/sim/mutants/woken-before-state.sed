# SPDX-License-Identifier: MIT
# A foreign thread is told that it is woken before its descriptor says so.
# file: sched/foreign.c
# scenario: foreign_wait
/^void rt_foreign_wake/,/^}/ {
    /rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);/d
    s/^    rt_store_rel(&g->woken, 1);/&\n    rt_gstate_set(g, RT_G_WAITING, RT_G_RUNNABLE);/
}
