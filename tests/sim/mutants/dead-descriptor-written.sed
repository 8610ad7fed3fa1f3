# SPDX-License-Identifier: MIT
# The descriptor of an ended goroutine is given back before the last write to it.
# file: sched/spawn.c
# scenario: storm
/^static void free_descriptor/,/^}/ {
    /^    g->flags = 0;/d
    s/^    rt_gpool_put(&p->gcache, &g->slot);/&\n    g->flags = 0;/
}
