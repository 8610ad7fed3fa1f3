# SPDX-License-Identifier: MIT
# Whether foreign threads are silent is asked after all else, when they may have acted and gone.
# file: sched/quiesce.c
# scenario: foreign_last
/^void rt_quiesce_check/,/^}/ {
    /bool silent = rt_foreign_silent();/d
    s/^    if (at_rest && rt_sched_has_main() && silent/    bool silent = rt_foreign_silent();\n&/
}
