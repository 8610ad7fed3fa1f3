/* SPDX-License-Identifier: MIT */
/* Proves: while the program runs the number of processors follows the number of CPUs that
   the process may use, as far as the quota allows. */
/* fixed procs */
/* slow */
#include "quota.h"

static int follow_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 6);
    atomic_store(&quota_cpus, 3);
    await_procs(6, 3);
    atomic_store(&quota_cpus, 1);
    await_procs(3, 1);
    atomic_store(&quota_cpus, 4);
    await_procs(1, 4);
    atomic_store(&quota_cpus, QUOTA_CPUS);
    await_procs(4, 6);
    return 0;
}

TEST(follows_affinity) {
    quota_begin_v2("60000 10000");
    RUN(follow_main);
}
