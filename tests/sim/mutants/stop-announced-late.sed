# SPDX-License-Identifier: MIT
# Who waits for the end says so after the last one has looked.
# file: sched/quiesce.c
# scenario: stop
/^bool rt_quiesce_wait/,/^}/ {
    0,/rt_store_rlx(&stopper.state, WAITING);/ { /rt_store_rlx(&stopper.state, WAITING);/d }
    s/^    while (!reached) {/    rt_store_rlx(\&stopper.state, WAITING);\n&/
}
