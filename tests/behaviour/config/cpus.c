/* SPDX-License-Identifier: MIT */
/* Proves: tuco_cpus follows the affinity mask, and by default so does the number of
   processors. */
/* fixed procs */
#include "test.h"

static int yield_main(void *arg) {
    (void)arg;
    for (tuco_time end = tuco_deadline(50 * TUCO_MILLISECOND); tuco_now() < end;) {
        tuco_yield();
    }
    return 0;
}

static void use_one_cpu(void) {
    cpu_set_t all;
    cpu_set_t one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void run_on_one_cpu(void *arg) {
    use_one_cpu();
    ASSERT_EQ(tuco_cpus(), 1);
    ASSERT_EQ(tuco_run(yield_main, arg), 0);
}

TEST(cpus_follow_affinity) {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    ASSERT_EQ(tuco_cpus(), CPU_COUNT(&all));
    use_one_cpu();
    ASSERT_EQ(tuco_cpus(), 1);
}

TEST(processors_follow_affinity) {
    static struct test_child child;
    test_setenv("TUCOPROCS", NULL);
    test_setenv("TUCODEBUG", "schedtrace=5");
    test_child_run(&child, run_on_one_cpu, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, " gomaxprocs=1 ");
}
