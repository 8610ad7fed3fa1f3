# SPDX-License-Identifier: MIT
# A membarrier that failed for want of memory is not tried again.
# file: base/fence.h
# scenario: compute
s/while (rt_fence_asymmetric && os_fence_all_threads() != 0)/if (rt_fence_asymmetric \&\& os_fence_all_threads() != 0)/
