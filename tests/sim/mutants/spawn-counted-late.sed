# SPDX-License-Identifier: MIT
# A goroutine is counted after others can run it, and so perhaps after its end.
# file: sched/spawn.c
# scenario: count
/^static RT_INLINE int spawn_on/,/^}/ {
    /^    rt_p_count(&p->spawned);/d
    s/^        rt_queue_next(p, rt_g_of(slot));/&\n        rt_p_count(\&p->spawned);/
    s/^        rt_globq_put(rt_g_of(slot));/&\n        rt_p_count(\&p->spawned);/
}
