/* SPDX-License-Identifier: MIT */
/* Proves: while the program runs, the number of processors follows the quota of its
   control group, directly from each value to the next. */
/* fixed procs */
/* slow */
#include "quota.h"

static atomic_int over;

static void work(void *arg) {
    (void)arg;
    test_await(&over, 1);
}

static int follow_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), QUOTA_CPUS);
    quota_set("30000 10000");
    await_procs(QUOTA_CPUS, 3);
    quota_set("10000 10000");
    await_procs(3, 2);
    quota_set("30000 10000");
    await_procs(2, 3);
    quota_set("max 1000000");
    await_procs(3, QUOTA_CPUS);
    return 0;
}

TEST(with_little_to_do) {
    quota_begin_v2("max 1000000");
    RUN(follow_main);
}

static int busy_main(void *arg) {
    tuco_wg wg = {0};
    for (int i = 0; i < 2 * QUOTA_CPUS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, work, NULL), 0);
    }
    follow_main(arg);
    atomic_store(&over, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(with_much_to_do) {
    quota_begin_v2("max 1000000");
    RUN(busy_main);
}
