/* SPDX-License-Identifier: MIT */
/* Proves: the quota never changes a number that the program or the environment has set,
   at the start or later. */
/* fixed procs */
/* slow */
#include "quota.h"

/* The number is above the first quota and below the second, so that both would show. */
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
