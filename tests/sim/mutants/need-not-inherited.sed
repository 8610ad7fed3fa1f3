# SPDX-License-Identifier: MIT
# A last searcher that has found work leaves no NEED in its place.
# file: sched/idle.c
# scenario: given_up
/^static uint64_t stop_searching/,/^}/ s/(need ? RT_IDLE_NEED : 0)/(need \&\& 0 ? RT_IDLE_NEED : 0)/
