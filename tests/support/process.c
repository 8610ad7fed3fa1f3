/* SPDX-License-Identifier: MIT */
/* process.c: the threads, descriptors and memory of the process, from the kernel and the
   runtime. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "debug/dump.h"

#define DUMP_MAX          ((size_t)4 * 1024 * 1024)
#define THREAD_EXIT_LIMIT (60 * TUCO_SECOND)

static int count_entries(const char *path) {
    DIR *dir = opendir(path);
    ASSERT(dir != NULL);
    int count = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        count += e->d_name[0] != '.';
    }
    closedir(dir);
    return count;
}

int test_count_threads(void) {
    return count_entries("/proc/self/task");
}

/* Excludes the descriptor of the directory being read. */
int test_count_fds(void) {
    return count_entries("/proc/self/fd") - 1;
}

int test_list_threads(int *tids, int max) {
    DIR *dir = opendir("/proc/self/task");
    ASSERT(dir != NULL);
    int count = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] != '.') {
            ASSERT_LT(count, max);
            tids[count++] = atoi(e->d_name);
        }
    }
    closedir(dir);
    return count;
}

uint64_t test_blocked_signals(int tid) {
    char path[64];
    char line[128];
    unsigned long long mask = 0;
    snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
    FILE *f = fopen(path, "r");
    ASSERT(f != NULL);
    while (fgets(line, sizeof(line), f) != NULL &&
           sscanf(line, "SigBlk: %llx", &mask) != 1) {
    }
    fclose(f);
    return mask;
}

int test_count_mappings(void) {
    FILE *f = fopen("/proc/self/maps", "r");
    ASSERT(f != NULL);
    int lines = 0;
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) {
        lines += c == '\n';
    }
    fclose(f);
    return lines;
}

long test_resident_kib(void) {
    FILE *f = fopen("/proc/self/statm", "r");
    ASSERT(f != NULL);
    long pages = 0;
    ASSERT_EQ(fscanf(f, "%*d %ld", &pages), 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

tuco_time test_cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * TUCO_SECOND + now.tv_nsec;
}

void test_expect_threads(const char *file, int line, int n) {
    tuco_time limit = tuco_deadline(THREAD_EXIT_LIMIT);
    int count = test_count_threads();
    while (count != n && tuco_now() < limit) {
        sched_yield();
        count = test_count_threads();
    }
    if (count != n) {
        test_fail(file, line, "%d threads, wanted %d", count, n);
    }
}

const char *test_dump(void) {
    static char text[DUMP_MAX];
    int fd = memfd_create("dump", MFD_CLOEXEC);
    ASSERT_GE(fd, 0);
    rt_dump_goroutines(fd);
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    ASSERT_GE(n, 0);
    close(fd);
    text[n] = '\0';
    return text;
}

int test_dump_entries(const char *text) {
    static const char start[] = "goroutine ";
    int entries = strncmp(text, start, sizeof(start) - 1) == 0;
    return entries + test_occurrences(text, "\ngoroutine ");
}
