# SPDX-License-Identifier: MIT
# The decision that nothing can happen takes its two locks in the wrong order.
# file: sched/quiesce.c
# scenario: storm
/^void rt_quiesce_check/,/^}/ {
    /^    rt_spawn_starving_lock();/d
    s/^    rt_lock(&rt_sched.lifecycle);/    rt_spawn_starving_lock();\n&/
}
