/* SPDX-License-Identifier: MIT */
/* Proves: the runtime finds and follows the quota of a real control group, of either
   version. Skipped where no such group can be made. */
/* fixed procs */
#include "quota.h"

static const struct version {
    const char *top;
    const char *file; /* the quota */
    const char *three;
    const char *five;
    const char *none;
} versions[] = {
    {"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "300000", "500000", "-1"},
    {"/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "300000", "500000", "-1"},
    {"/sys/fs/cgroup", "cpu.max", "300000 100000", "500000 100000", "max 100000"},
};

static const struct version *version;
static char group[64];

static bool put(const char *file, const char *text) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", group, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) {
        close(fd);
    }
    return done;
}

static bool make_group(const struct version *v) {
    version = v;
    snprintf(group, sizeof(group), "%s/tuco-test-%d", v->top, getpid());
    if (mkdir(group, 0777) != 0) {
        return false;
    }
    if (put(v->file, v->three)) {
        return true;
    }
    rmdir(group);
    return false;
}

static bool make_any(void) {
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (make_group(&versions[i])) {
            return true;
        }
    }
    return false;
}

static int unlimited_main(void *arg) {
    *(int *)arg = tuco_procs(0);
    return 0;
}

static int follow_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 3);
    ASSERT(put(version->file, version->five));
    await_procs(3, 5);
    ASSERT(put(version->file, version->none));
    await_procs(5, QUOTA_CPUS);
    return 0;
}

static void run_in_group(void *arg) {
    (void)arg;
    ASSERT(put("cgroup.procs", "0")); // "0" is the writing process
    RUN(follow_main);
}

/* A group can be removed after the last process in it has been waited for. */
TEST(real_control_group) {
    static struct test_child child;
    int procs = 0;
    test_setenv("TUCOPROCS", NULL);
    test_setenv("TUCOCGROUP", NULL);
    ASSERT_EQ(tuco_run(unlimited_main, &procs), 0);
    if (procs != QUOTA_CPUS) {
        SKIP("The process is in a control group that has a quota already.");
    }
    if (!make_any()) {
        SKIP("No control group with a CPU quota may be made here.");
    }
    test_child_run(&child, run_in_group, NULL);
    ASSERT_EQ(rmdir(group), 0);
    EXPECT_STATUS(&child, 0);
}
