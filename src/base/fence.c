/* SPDX-License-Identifier: MIT */
/* Chooses between the two ways of base/fence.h. */
#include "base/fence.h"

bool rt_fence_asymmetric;

void rt_fence_choose(int procs, bool allowed) {
    rt_fence_asymmetric =
        allowed && procs <= RT_FENCE_ASYMMETRIC_PROCS && os_fence_register();
}
