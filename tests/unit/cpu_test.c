/* SPDX-License-Identifier: MIT */
/* Proves: the limit is the tightest of all levels of the current cgroup of the process;
   missing files limit nothing; malformed ones are named and refused. */
#include "test.h"
#include "described.h"
#include "fault.h"
#include "cpu/cpu.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_ALLOWED 3 // a child lacked the permission
#define NOTHING     ((const char *)NULL)
#define V2          "25 21 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define V1          "56 22 0:40 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
#define MAX         "max 100000\n"

static struct rt_quota limit;
static struct test_child child;

/* ---- Describing a system ---- */

/* Writes a file of the described system; NOTHING removes it. */
static void put(const char *name, const char *text) {
    static char path[2 * 4096];
    ASSERT_LT(snprintf(path, sizeof(path), "%s/%s", described_root, name), sizeof(path));
    described_make_parents(path);
    if (text == NOTHING) {
        remove(path);
        return;
    }
    FILE *f = fopen(path, "w");
    ASSERT(f != NULL);
    fputs(text, f);
    ASSERT_EQ(fclose(f), 0);
}

static void put_system(const char *cgroup, const char *mountinfo) {
    described_make();
    put("proc/self/cgroup", cgroup);
    put("proc/self/mountinfo", mountinfo);
}

/* A cgroup /a/b/c of v2, without limits. The root has no file. */
static void put_v2(void) {
    put_system("0::/a/b/c\n", V2);
    put("sys/fs/cgroup/a/cpu.max", MAX);
    put("sys/fs/cgroup/a/b/cpu.max", MAX);
    put("sys/fs/cgroup/a/b/c/cpu.max", MAX);
}

static void put_level_v1(const char *dir, const char *quota, const char *period) {
    char name[128];
    snprintf(name, sizeof(name), "sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", dir);
    put(name, quota);
    snprintf(name, sizeof(name), "sys/fs/cgroup/cpu%s/cpu.cfs_period_us", dir);
    put(name, period);
}

/* The same for v1, whose root has files. */
static void put_v1(void) {
    put_system("3:memory:/m\n2:cpu,cpuacct:/a/b/c\n1:name=systemd:/s\n", V1);
    put_level_v1("", "-1\n", "100000\n");
    put_level_v1("/a", "-1\n", "100000\n");
    put_level_v1("/a/b", "-1\n", "100000\n");
    put_level_v1("/a/b/c", "-1\n", "100000\n");
}

/* ---- Looking at what was read ---- */

static void expect_limit(int64_t quota_us, int64_t period_us) {
    limit = (struct rt_quota){0, 0};
    ASSERT_EQ(rt_cpu_limit(described_root, &limit), 0);
    ASSERT_EQ(limit.quota_us, quota_us);
    ASSERT_EQ(limit.period_us, period_us);
}

static void expect_no_limit(void) {
    ASSERT_EQ(rt_cpu_limit(described_root, &limit), 0);
    ASSERT_EQ(limit.quota_us, RT_QUOTA_NONE);
}

static void read_wrong(void *arg) {
    (void)arg;
    limit = (struct rt_quota){7, 7};
    ASSERT_EQ(rt_cpu_limit(described_root, &limit), -EINVAL);
    ASSERT_EQ(limit.quota_us, 7);
    ASSERT_EQ(limit.period_us, 7);
}

/* Requires that the reading fails with one line that has both parts. */
static void expect_wrong(const char *file, const char *what) {
    test_child_run(&child, read_wrong, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_HAS(child.text, "tuco: TUCOCGROUP: ");
    ASSERT_HAS(child.text, file);
    ASSERT_HAS(child.text, what);
    ASSERT_EQ(test_occurrences(child.text, "\n"), 1);
}

/* ---- Limits ---- */

TEST(v2_at_the_own_level) {
    put_v2();
    expect_no_limit();
    put("sys/fs/cgroup/a/b/c/cpu.max", "300000 100000\n");
    expect_limit(300000, 100000);
    put("sys/fs/cgroup/a/b/c/cpu.max", MAX);
    expect_no_limit();
}

TEST(v2_of_a_parent_is_tighter) {
    put_v2();
    put("sys/fs/cgroup/a/b/c/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/a/b/cpu.max", "125000 50000\n");
    expect_limit(125000, 50000);
    put("sys/fs/cgroup/a/cpu.max", "240000 100000\n");
    expect_limit(240000, 100000);
    put("sys/fs/cgroup/cpu.max", "230000 100000\n"); // the root of a namespace has one
    expect_limit(230000, 100000);
    put("sys/fs/cgroup/a/b/c/cpu.max", "9999 10000\n");
    expect_limit(9999, 10000);
    put("sys/fs/cpu.max", "1 100000\n"); // above the mount: not a cgroup
    expect_limit(9999, 10000);
}

TEST(v1_at_every_level) {
    put_v1();
    expect_no_limit();
    put_level_v1("/a/b/c", "300000\n", "100000\n");
    expect_limit(300000, 100000);
    put_level_v1("/a", "250000\n", "100000\n");
    expect_limit(250000, 100000);
    put_level_v1("", "10000\n", "50000\n");
    expect_limit(10000, 50000);
}

TEST(hybrid_is_v1_if_that_has_the_controller) {
    put_v1();
    put("proc/self/mountinfo", V2 V1);
    put("proc/self/cgroup", "0::/u\n2:cpu,cpuacct:/a/b/c\n");
    put("sys/fs/cgroup/u/cpu.max", "100000 100000\n");
    put_level_v1("/a", "250000\n", "100000\n");
    expect_limit(250000, 100000);
    put("proc/self/cgroup", "2:cpuacct:/a/b/c\n0::/u\n");
    expect_limit(100000, 100000);
}

TEST(missing_files_limit_nothing) {
    put_v2();
    put("sys/fs/cgroup/a/b/c/cpu.max", NOTHING);
    put("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    expect_limit(300000, 100000);
    put("sys/fs/cgroup/a/b/cpu.max", NOTHING);
    put("sys/fs/cgroup/a/cpu.max", NOTHING);
    expect_no_limit();
    put("proc/self/cgroup", "0::/gone/by/now\n");
    expect_no_limit();
    put("proc/self/cgroup", "0::/\n");
    expect_no_limit();
}

TEST(a_part_of_the_hierarchy_is_mounted) {
    put_system("0::/docker/box/job\n",
               "31 23 0:28 /docker/box /cgroup\\040here rw - cgroup2 none rw\n");
    put("cgroup here/job/cpu.max", "400000 100000\n");
    put("cgroup here/cpu.max", "350000 100000\n");
    put("docker/box/job/cpu.max", "100000 100000\n");
    expect_limit(350000, 100000);
}

TEST(the_root_of_the_namespace_is_below) {
    put_system("0::/../../init.scope\n", "31 23 0:28 /../.. /cg rw - cgroup2 none rw\n");
    put("cg/init.scope/cpu.max", "400000 100000\n");
    expect_limit(400000, 100000);
}

TEST(a_mount_at_the_root) {
    put_system("0::/a\n", "31 23 0:28 / / rw - cgroup2 none rw\n");
    put("a/cpu.max", "400000 100000\n");
    expect_limit(400000, 100000);
    put("cpu.max", "300000 100000\n");
    expect_limit(300000, 100000);
}

/* ---- Moving ---- */

TEST(a_move_is_noticed_at_the_next_reading) {
    put_v2();
    put("sys/fs/cgroup/a/b/c/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/other/cpu.max", "500000 100000\n");
    expect_limit(300000, 100000);
    put("proc/self/cgroup", "0::/other\n");
    expect_limit(500000, 100000);
}

static int move_at;

/* Moves the process, and removes where it was, before one of the kernel calls of a
   reading. */
static int move(enum os_fault_kind kind) {
    if (kind == OS_FAULT_READ && --move_at == 0) {
        put("proc/self/cgroup", "0::/other\n");
        put("sys/fs/cgroup/a/b/c/cpu.max", NOTHING);
    }
    return 0;
}

TEST(a_move_during_a_reading_takes_no_limit_away) {
    put_v2();
    put("sys/fs/cgroup/other/cpu.max", "500000 100000\n");
    for (int at = 1; at < 20; at++) {
        put("proc/self/cgroup", "0::/a/b/c\n");
        put("sys/fs/cgroup/a/b/c/cpu.max", "300000 100000\n");
        move_at = at;
        os_fault_hook = move;
        int rc = rt_cpu_limit(described_root, &limit);
        os_fault_hook = NULL;
        ASSERT_EQ(rc, 0);
        ASSERT(limit.quota_us == 300000 || limit.quota_us == 500000);
    }
    ASSERT_GT(move_at, 0); /* the last move came after the reading */
}

static int moves;

/* Moves it somewhere else before each kernel call. */
static int move_always(enum os_fault_kind kind) {
    char line[32];
    if (kind == OS_FAULT_READ) {
        snprintf(line, sizeof(line), "0::/%03d\n", ++moves);
        put("proc/self/cgroup", line);
    }
    return 0;
}

TEST(a_caller_that_moves_all_the_time_gets_eagain) {
    put_v2();
    limit = (struct rt_quota){7, 7};
    os_fault_hook = move_always;
    int rc = rt_cpu_limit(described_root, &limit);
    os_fault_hook = NULL;
    ASSERT_EQ(rc, -EAGAIN);
    ASSERT_EQ(limit.quota_us, 7);
    ASSERT_LT(moves, 100);
}

/* ---- What makes no sense ---- */

TEST(wrong_limits_are_named) {
    put_v2();
    put("sys/fs/cgroup/a/b/cpu.max", "500000us 100000\nmore\n");
    expect_wrong("/sys/fs/cgroup/a/b/cpu.max", "\"500000us 100000\"");
    put("sys/fs/cgroup/a/b/cpu.max", "");
    expect_wrong("/sys/fs/cgroup/a/b/cpu.max", "not a quota and a period");
    put("sys/fs/cgroup/a/b/cpu.max",
        "000000000000000000000000000000000000000000000000000000000001 1\n1");
    expect_wrong("/sys/fs/cgroup/a/b/cpu.max", "not a short text");
    put("sys/fs/cgroup/a/b/cpu.max", NOTHING);
    put("sys/fs/cgroup/a/b/cpu.max/x", "");
    expect_wrong("/sys/fs/cgroup/a/b/cpu.max", "directory");
}

TEST(wrong_limits_of_v1_are_named) {
    put_v1();
    put_level_v1("/a", "max\n", "100000\n");
    expect_wrong("/cpu/a/cpu.cfs_quota_us", "\"max\"");
    put_level_v1("/a", "100000\n", "-1\n");
    expect_wrong("/cpu/a/cpu.cfs_period_us", "\"-1\"");
    put_level_v1("/a", "100000\n", "0\n");
    expect_wrong("/cpu/a/cpu.cfs_period_us", "\"0\"");
    put_level_v1("/a", "100000\n", NOTHING);
    expect_wrong("/cpu/a/cpu.cfs_period_us", "no such file");
    put_level_v1("/a", NOTHING, "100000\n");
    expect_no_limit();
}

TEST(wrong_descriptions_are_named) {
    put_v2();
    put("proc/self/cgroup", "");
    expect_wrong("/proc/self/cgroup", "no line for the controller cpu");
    put("proc/self/cgroup", "0::a\n");
    expect_wrong("/proc/self/cgroup", "a line is not like");
    put("proc/self/cgroup", NOTHING);
    expect_wrong("/proc/self/cgroup", "no such file");
    put("proc/self/cgroup", "0::/a\n");
    put("proc/self/mountinfo", V1);
    expect_wrong("/proc/self/mountinfo", "none of the mounts shows the cgroup");
    put("proc/self/mountinfo", "x\n");
    expect_wrong("/proc/self/mountinfo", "a line is not one that describes a mount");
    put("proc/self/mountinfo", NOTHING);
    expect_wrong("/proc/self/mountinfo", "no such file");
}

static void put_long_cgroup(size_t path_length) {
    static char line[2 * 4096];
    memcpy(line, "0::/", 4);
    memset(line + 4, 'a', path_length - 1);
    for (size_t i = 100; i < path_length; i += 100) {
        line[i] = '/'; // no name is too long by itself
    }
    strcpy(line + 3 + path_length, "\n");
    put("proc/self/cgroup", line);
}

TEST(paths_that_are_too_long_are_named) {
    put_v2();
    put_long_cgroup(4096);
    expect_wrong("/proc/self/cgroup", "too long");
    put_long_cgroup(4095);
    expect_wrong("/proc/self/mountinfo", "too long"); // with the mount point before it
    put_long_cgroup(4060);
    expect_wrong(described_root, "too long"); // and the root before that
}

/* ---- The system itself ---- */

TEST(no_more_than_there_are_cpus) {
    put_v2();
    int cpus = rt_cpu_count();
    ASSERT_EQ(rt_cpu_default_procs(described_root), cpus);
    put("sys/fs/cgroup/a/cpu.max", "99999999 1\n");
    ASSERT_EQ(rt_cpu_default_procs(described_root), cpus);
    put("sys/fs/cgroup/a/cpu.max", "1 100000\n");
    ASSERT_EQ(rt_cpu_default_procs(described_root), cpus < 2 ? cpus : 2);
    put("sys/fs/cgroup/a/cpu.max", "200001 100000\n");
    ASSERT_EQ(rt_cpu_default_procs(described_root), cpus < 3 ? cpus : 3);
}

TEST(an_affinity_mask_bounds_all) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0) {
        SKIP("The affinity mask cannot be changed here.");
    }
    put_v2();
    put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    ASSERT_EQ(rt_cpu_count(), 1);
    ASSERT_EQ(rt_cpu_default_procs(described_root), 1);
    ASSERT_EQ(rt_cpu_default_procs(""), 1);
}

TEST(the_system_that_this_runs_on) {
    int procs = rt_cpu_default_procs("");
    ASSERT_GE(procs, 1);
    ASSERT_LE(procs, rt_cpu_count());
    ASSERT_EQ(rt_cpu_limit("", &limit), 0);
    ASSERT_GT(limit.period_us, 0);
    ASSERT(limit.quota_us > 0 || limit.quota_us == RT_QUOTA_NONE);
    ASSERT_EQ(procs, rt_quota_procs(limit, rt_cpu_count()));
}

/* Makes the description the system itself. */
static void enter_root(void *arg) {
    const int64_t *wanted = arg;
    if (chroot(described_root) != 0) {
        exit(NOT_ALLOWED);
    }
    ASSERT_EQ(rt_cpu_limit("", &limit), 0);
    ASSERT_EQ(limit.quota_us, *wanted);
    _exit(0); // skips the sanitizer's exit check, which needs the real /proc
}

/* Requires that limit, without a message, of a described system. */
static void expect_inside(int64_t quota_us) {
    test_child_run(&child, enter_root, &quota_us);
    if (child.status == NOT_ALLOWED) {
        SKIP("The root directory cannot be changed here.");
    }
    EXPECT_STATUS(&child, 0);
    ASSERT_STR(child.text, "");
}

TEST(what_makes_no_sense_in_the_system_does_not_hide_the_rest) {
    put_v2();
    put("sys/fs/cgroup/a/b/c/cpu.max", "nonsense\n");
    put("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "");
    expect_inside(300000);
    put("proc/self/mountinfo", "nonsense\n");
    expect_inside(RT_QUOTA_NONE);
    put("proc/self/mountinfo", V2);
    put("proc/self/cgroup", "0::a\n");
    expect_inside(RT_QUOTA_NONE);
    put("proc/self/cgroup", NOTHING);
    expect_inside(RT_QUOTA_NONE);
}

/* ---- Faults ---- */

/* Fails every kernel call and allocation in turn; returns how many there were. */
static int fail_each(enum os_fault_kind kind, int error, const char *dir, int rc) {
    for (int call = 1;; call++) {
        int fds = test_count_fds();
        test_fault_plan(kind, call, 1, error);
        int now = rt_cpu_limit(dir, &limit);
        bool reached = test_fault_calls(kind) >= call;
        test_fault_expect_balance();
        test_fault_clear();
        ASSERT_EQ(test_count_fds(), fds);
        if (!reached) {
            return call - 1;
        }
        ASSERT_EQ(now, rc);
    }
}

TEST(what_may_be_over_the_next_time) {
    put_v2();
    ASSERT_GT(fail_each(OS_FAULT_READ, EMFILE, described_root, -EAGAIN), 10);
    ASSERT_GT(fail_each(OS_FAULT_READ, ENFILE, described_root, -EAGAIN), 10);
    ASSERT_EQ(fail_each(OS_FAULT_ALLOC, ENOMEM, described_root, -EAGAIN), 1);
    ASSERT_GT(fail_each(OS_FAULT_READ, EMFILE, "", -EAGAIN), 4);
    ASSERT_EQ(fail_each(OS_FAULT_ALLOC, ENOMEM, "", -EAGAIN), 1);
}

/* Each of the three levels is opened and read. */
TEST(files_that_vanish_while_they_are_read_limit_nothing) {
    put_v2();
    int vanished = 0;
    bool reached = true;
    for (int call = 1; reached; call++) {
        test_fault_plan(OS_FAULT_READ, call, 1, ENODEV);
        vanished += rt_cpu_limit(described_root, &limit) == 0;
        reached = test_fault_calls(OS_FAULT_READ) >= call;
        test_fault_clear();
    }
    ASSERT_GE(vanished, 6);
}

TEST(the_system_itself_is_never_wrong) {
    ASSERT_GT(fail_each(OS_FAULT_READ, EACCES, "", 0), 4);
    ASSERT_GT(fail_each(OS_FAULT_READ, EIO, "", 0), 4);
    test_fault_plan(OS_FAULT_READ, 1, TEST_FAULT_ALWAYS, ENOENT);
    ASSERT_EQ(rt_cpu_limit("", &limit), 0);
    ASSERT_EQ(limit.quota_us, RT_QUOTA_NONE);
    ASSERT_EQ(rt_cpu_default_procs(""), rt_cpu_count());
    test_fault_clear();
}

static void read_often(void *arg) {
    (void)arg;
    for (int i = 0; i < 200; i++) {
        struct rt_quota q;
        ASSERT_EQ(rt_cpu_limit(described_root, &q), 0);
        ASSERT_EQ(q.quota_us, 300000);
    }
}

TEST(threads_may_read_at_the_same_time_and_leave_nothing) {
    put_v2();
    put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    int fds = test_count_fds();
    test_threads_run(4, read_often, NULL);
    ASSERT_EQ(test_count_fds(), fds);
}
