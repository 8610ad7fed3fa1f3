# SPDX-License-Identifier: MIT
# A goroutine of a foreign thread is counted after others can run it.
# file: sched/spawn.c
# scenario: count
/^static RT_COLD int spawn_from_thread/,/^}/ {
    /rt_add_rlx(&rt_sched.foreign_spawned, 1);/d
    s/^    rt_idle_notify(1);/&\n    rt_add_rlx(\&rt_sched.foreign_spawned, 1);/
}
