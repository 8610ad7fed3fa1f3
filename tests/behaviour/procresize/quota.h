/* SPDX-License-Identifier: MIT */
/* quota.h: a simulated machine with a given number of CPUs, and control groups in files
   of the test. Included by one source of a program. */
#ifndef TEST_PROCS_QUOTA_H
#define TEST_PROCS_QUOTA_H

#include "await_procs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A quota counts as at least 2 CPUs, so that on a small machine it would have no
   effect. */
#define QUOTA_CPUS 8

static atomic_int quota_cpus = QUOTA_CPUS;

/* Replaces the C library's function, also for the runtime, which is linked statically. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
    (void)pid;
    memset(set, 0, size);
    for (int cpu = 0; cpu < atomic_load(&quota_cpus); cpu++) {
        CPU_SET_S((size_t)cpu, size, set);
    }
    return 0;
}

/* ---- The files ---- */

static char quota_root[64];
static pid_t quota_owner; /* only this process removes the files, not its children */

static inline int quota_remove_one(const char *path, const struct stat *st, int kind,
                                   struct FTW *ftw) {
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline void quota_remove(void) {
    if (getpid() == quota_owner) {
        nftw(quota_root, quota_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
}

/* Writes a file below the root, and makes its directories. Writes before it truncates: a
   concurrent reader sees the old or the new text if both have the same length. */
static inline void quota_put(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", quota_root, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ASSERT(mkdir(path, 0777) == 0 || errno == EEXIST);
        *slash = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    ASSERT_EQ(ftruncate(fd, (off_t)strlen(text)), 0);
    ASSERT_EQ(close(fd), 0);
}

/* Makes the runtime choose the number of processors by the files below the root. */
static inline void quota_begin(void) {
    test_setenv("TUCOPROCS", NULL);
    snprintf(quota_root, sizeof(quota_root), "/tmp/quota-test-XXXXXX");
    ASSERT(mkdtemp(quota_root) != NULL);
    quota_owner = getpid();
    atexit(quota_remove);
    test_setenv("TUCOCGROUP", quota_root);
    ASSERT_EQ(tuco_cpus(), QUOTA_CPUS);
}

/* The line of cpu.max: "QUOTA PERIOD" or "max PERIOD", in microseconds. Its length must
   not change while the runtime may read it. */
static inline void quota_set(const char *line) {
    char text[64];
    snprintf(text, sizeof(text), "%s\n", line);
    quota_put("sys/fs/cgroup/test/cpu.max", text);
}

/* A process in a control group of the second version. */
static inline void quota_begin_v2(const char *line) {
    quota_begin();
    quota_put("proc/self/cgroup", "0::/test\n");
    quota_put("proc/self/mountinfo",
              "23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
              "31 23 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - "
              "cgroup2 cgroup2 rw,nsdelegate\n");
    quota_set(line);
}

/* ---- Expectations ---- */

/* Requires that the number stays for longer than sysmon needs to notice a change. */
static inline void quota_expect_still(int wanted) {
    for (tuco_time end = tuco_deadline(2500 * TUCO_MILLISECOND); tuco_now() < end;) {
        ASSERT_EQ(tuco_procs(0), wanted);
        tuco_sleep(10 * TUCO_MILLISECOND);
    }
}

#endif
