/* SPDX-License-Identifier: MIT */
/* Chooses between the two implementations of base/fence.h. */
#include "base/fence.h"
#include "base/die.h"

#include <errno.h>

bool rt_fence_asymmetric;
bool rt_fence_reaches_all;

/* Every wake-up relies on this fence, and nothing else makes other threads run one. So an
   error other than ENOMEM ends the process. */
void rt_fence_refused(void) {
    int error = os_fence_all_threads();
    if (error != 0 && error != -ENOMEM) {
        rt_fatal(
            "membarrier worked when the runtime began and is refused now (error %d): "
            "forbid it before, or set TUCODEBUG=fence=plain",
            -error);
    }
    os_thread_yield();
}

void rt_fence_choose(int procs, bool allowed) {
    rt_fence_reaches_all = allowed && os_fence_register();
    rt_fence_asymmetric = rt_fence_reaches_all && procs <= RT_FENCE_ASYMMETRIC_PROCS;
}
