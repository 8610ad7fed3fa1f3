# SPDX-License-Identifier: MIT
# Starved goroutines are in neither place for a moment.
# file: sched/spawn.c
# scenario: fed
/^void rt_spawn_feed_starved/,/^}/ {
    s/^    rt_globq_put_list(&list);//
    s/^    rt_unlock(&starving.lock);/&\n    rt_globq_put_list(\&list);/
}
