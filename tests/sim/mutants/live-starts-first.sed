# SPDX-License-Identifier: MIT
# Starts are summed before ends, so that a goroutine that comes and goes is missed.
# file: sched/sched.c
# scenario: count
/^uint64_t rt_sched_live/,/^}/ {
    s/^    uint64_t ended = 0;/    uint64_t ended = 0;\n    uint64_t spawned = rt_load_acq(\&rt_sched.foreign_spawned);\n    for (uint32_t i = 0; i < made; i++) {\n        spawned += rt_load_acq(\&rt_sched.ps[i].spawned);\n    }/
    s/^    uint64_t spawned = rt_load_acq(&rt_sched.foreign_spawned);$//
    s/^        spawned += rt_load_acq(&rt_sched.ps\[i\].spawned);$//
}
