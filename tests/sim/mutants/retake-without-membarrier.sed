# SPDX-License-Identifier: MIT
# The monitor looks whether a thread is inside before that can see the claim.
# file: sched/retake.c
# scenario: retaken
/^static bool take(/,/^}/ s/rt_fence_all_threads();//
