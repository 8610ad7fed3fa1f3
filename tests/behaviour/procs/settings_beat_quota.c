/* SPDX-License-Identifier: MIT */
/* Proves: a number that the program or the environment has asked for is what it is,
   whatever the quota says at the start and later. */
/* fixed procs */
/* slow */
#include "quota.h"

/* What is asked for is more than the quota allows, so that both changes would show. */
static int expect_three_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 3);
    quota_set("50000 10000");
    atomic_store(&quota_cpus, 4);
    quota_expect_still(3);
    return 0;
}

TEST(environment) {
    quota_begin_v2("20000 10000");
    test_setenv("TUCOPROCS", "3");
    RUN(expect_three_main);
}

TEST(configuration) {
    tuco_config config = {.procs = 3};
    quota_begin_v2("20000 10000");
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(expect_three_main);
}
