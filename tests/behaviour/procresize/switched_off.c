/* SPDX-License-Identifier: MIT */
/* Proves: with containermaxprocs=0 the number of processors ignores quotas, and with
   updatemaxprocs=0 it follows no change. */
/* fixed procs */
/* slow */
#include "quota.h"

static int no_container_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), QUOTA_CPUS);
    quota_set("50000 10000");
    quota_expect_still(QUOTA_CPUS);
    atomic_store(&quota_cpus, 4); /* CPUs are still followed */
    await_procs(QUOTA_CPUS, 4);
    ASSERT_EQ(tuco_procs_auto(), 4);
    return 0;
}

TEST(no_quota) {
    quota_begin_v2("30000 10000");
    test_setenv("TUCODEBUG", "containermaxprocs=0");
    RUN(no_container_main);
}

static int no_update_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 3);
    quota_set("50000 10000");
    quota_expect_still(3);
    atomic_store(&quota_cpus, 2);
    quota_expect_still(3);
    ASSERT_EQ(tuco_procs_auto(), 2);
    atomic_store(&quota_cpus, QUOTA_CPUS);
    quota_expect_still(2);
    return 0;
}

TEST(no_update) {
    quota_begin_v2("30000 10000");
    test_setenv("TUCODEBUG", "updatemaxprocs=0");
    RUN(no_update_main);
}
