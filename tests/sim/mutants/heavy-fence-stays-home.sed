# SPDX-License-Identifier: MIT
# The sleeping side's fence does not reach the other threads.
# file: base/fence.h
# scenario: compute
s/while (rt_fence_asymmetric \&\& os_fence_all_threads() != 0)/while (0)/
