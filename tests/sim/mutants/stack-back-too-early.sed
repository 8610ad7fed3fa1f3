# SPDX-License-Identifier: MIT
# A goroutine gives its stack back while it is still on it.
# file: sched/spawn.c
# scenario: reuse
/^static void commit_end/,/^}/ {
    /rt_stack_put(/d
    /g->stack = NULL;/d
}
/^static struct rt_g \*end_goroutine/,/^}/ s/^    m->commit = commit_end;/    rt_stack_put(\&m->p->stacks, g->stack);\n    g->stack = NULL;\n&/
