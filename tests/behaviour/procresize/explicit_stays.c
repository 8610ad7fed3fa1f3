/* SPDX-License-Identifier: MIT */
/* Proves: a number that the program has set stays, even if it equals the previous number;
   reading the number does not set it. */
/* fixed procs */
/* slow */
#include "quota.h"

static int set_main(void *arg) {
    int n = *(int *)arg;
    ASSERT_EQ(tuco_procs(n), 3);
    quota_set("50000 10000");
    quota_expect_still(n);
    atomic_store(&quota_cpus, 2);
    quota_expect_still(n);
    return 0;
}

TEST(set_to_another) {
    quota_begin_v2("30000 10000");
    ASSERT_EQ(tuco_run(set_main, &(int){4}), 0);
}

TEST(set_to_the_same) {
    quota_begin_v2("30000 10000");
    ASSERT_EQ(tuco_run(set_main, &(int){3}), 0);
}

static int ask_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 3);
    ASSERT_EQ(tuco_procs(-1), 3);
    quota_set("50000 10000");
    await_procs(3, 5);
    return 0;
}

TEST(only_asked) {
    quota_begin_v2("30000 10000");
    RUN(ask_main);
}
