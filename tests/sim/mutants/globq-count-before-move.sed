# SPDX-License-Identifier: MIT
# Goroutines leave the count of the global queue before they are in a ring.
# file: sched/globq.c
# scenario: given_up
/^static struct rt_g \*take(/,/^}/ s/^        g = take_from_list_locked()/        rt_store_rel(\&rt_globq_shared.count, total - (share < total ? share : total));\n&/
