/* SPDX-License-Identifier: MIT */
/* Proves: the default number of processors is the lesser of the number of CPUs and the
   quota of the control group, rounded up and at least 2. */
/* fixed procs */
#include "quota.h"

static int expect_main(void *arg) {
    int wanted = *(int *)arg;
    ASSERT_EQ(tuco_procs(0), wanted);
    ASSERT_EQ(tuco_procs_auto(), wanted);
    ASSERT_EQ(tuco_procs(0), wanted);
    return 0;
}

static void expect(int cpus, const char *line, int wanted) {
    atomic_store(&quota_cpus, cpus);
    quota_set(line);
    ASSERT_EQ(tuco_run(expect_main, &wanted), 0);
}

TEST(second_version) {
    quota_begin_v2("max 100000");
    expect(8, "max 100000", 8);
    expect(8, "300000 100000", 3);
    expect(8, "200001 100000", 3);
    expect(8, "250000 100000", 3);
    expect(8, "299999 100000", 3);
    expect(8, "50000 100000", 2);
    expect(8, "100000 100000", 2);
    expect(8, "150000 100000", 2);
    expect(8, "800000 100000", 8);
    expect(8, "1600000 100000", 8);
    expect(2, "300000 100000", 2);
    expect(1, "50000 100000", 1);
}

static void expect_v1(const char *quota, int wanted) {
    quota_put("sys/fs/cgroup/cpu,cpuacct/test/cpu.cfs_quota_us", quota);
    ASSERT_EQ(tuco_run(expect_main, &wanted), 0);
}

TEST(first_version) {
    quota_begin();
    quota_put("proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/test\n0::/\n");
    quota_put("proc/self/mountinfo",
              "33 24 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
              "34 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup "
              "cgroup rw,cpu,cpuacct\n");
    quota_put("sys/fs/cgroup/cpu,cpuacct/test/cpu.cfs_period_us", "100000\n");
    expect_v1("-1\n", 8);
    expect_v1("300000\n", 3);
    expect_v1("250001\n", 3);
    expect_v1("50000\n", 2);
    expect_v1("1600000\n", 8);
}
