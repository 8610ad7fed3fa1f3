# SPDX-License-Identifier: MIT
# The length of the global queue is stored after the lock is free.
# file: sched/globq.c
# scenario: foreign
/^static void publish_and_unlock/,/^}/ {
    /rt_store_rel(&rt_globq_shared.count/d
    s/^    rt_unlock(&globq.lock);/&\n    rt_store_rel(\&rt_globq_shared.count, count);/
}
