/* SPDX-License-Identifier: MIT */
/* Proves: a program that cannot continue for lack of threads, or of memory for stacks,
   reports it, says how much there is, and names the limits and their values. */
/* not under tsan */
#include "os/fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define HELPERS 2 /* the starter and sysmon */

static atomic_int denying;
static atomic_int threads;

/* Only the helpers get threads. */
static int deny(enum os_fault_kind kind) {
    if (kind == OS_FAULT_THREAD) {
        return atomic_fetch_add(&threads, 1) < HELPERS ? 0 : EAGAIN;
    }
    return kind == OS_FAULT_RESERVE && atomic_load(&denying) != 0 ? ENOMEM : 0;
}

static int told[2];   // standard error of the runtime
static int wakeup[2]; // ends the call that keeps the only thread
static int saved;

static char seen[4096];

/* Lets the program continue after the first line with this text. */
static void *read_report(void *text) {
    size_t length = 0;
    while (strstr(seen, text) == NULL || strchr(strstr(seen, text), '\n') == NULL) {
        ssize_t n = read(told[0], seen + length, sizeof(seen) - 1 - length);
        if (n <= 0) {
            abort();
        }
        length += (size_t)n;
        seen[length] = '\0';
    }
    dup2(saved, STDERR_FILENO);
    atomic_store(&denying, 0);
    if (write(wakeup[1], "x", 1) != 1) {
        abort();
    }
    return NULL;
}

static void run_until_told(int (*fn)(void *), const char *text) {
    pthread_t reader;
    ASSERT_EQ(pipe(told), 0);
    ASSERT_EQ(pipe(wakeup), 0);
    saved = dup(STDERR_FILENO);
    os_fault_hook = deny;
    ASSERT_EQ(dup2(told[1], STDERR_FILENO), STDERR_FILENO);
    ASSERT_EQ(pthread_create(&reader, NULL, read_report, (void *)(uintptr_t)text), 0);
    ASSERT_EQ(tuco_run(fn, NULL), 0);
    ASSERT_EQ(pthread_join(reader, NULL), 0);
}

static int threads_then; // while the program hangs

static int threads_main(void *arg) {
    tuco_wg wg = {0};
    char byte;
    (void)arg;
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, test_return_at_once, NULL), 0);
    }
    threads_then = test_count_threads();
    ASSERT_EQ(read(wakeup[0], &byte, 1), 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(threads) {
    char text[128];
    test_setenv("TUCOPROCS", "1");
    run_until_told(threads_main, "ulimit -u");
    snprintf(
        text, sizeof text,
        "for 3 runnable goroutines; the process has %d threads: see ulimit -u \\(.+\\)",
        threads_then);
    ASSERT_MATCH(seen, text);
}

static void done(void *wg) {
    tuco_wg_done(wg);
}

static int stacks_main(void *arg) {
    static const tuco_attr large = {.stack_size = (size_t)1 << 22}; // none is kept
    tuco_wg wg = {0};
    (void)arg;
    tuco_wg_add(&wg, 1);
    atomic_store(&denying, 1);
    ASSERT_EQ(tuco_go_attr(&large, done, &wg), 0);
    tuco_wg_wait(&wg);
    return 0;
}

/* Lower than any machine's, and higher than a sanitizer needs. */
#define LOCKED_KIB  ((rlim_t)48)
#define ADDRESS_KIB ((rlim_t)1 << 36)

static void lower_limit(int resource, rlim_t kib) {
    struct rlimit limit;
    ASSERT_EQ(getrlimit(resource, &limit), 0);
    limit.rlim_cur = kib * 1024;
    ASSERT_EQ(setrlimit(resource, &limit), 0);
}

static long used_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ASSERT(file != NULL && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(stacks) {
    char text[256];
    unsigned goroutines;
    long told_kib;
    lower_limit(RLIMIT_MEMLOCK, LOCKED_KIB);
    lower_limit(RLIMIT_AS, ADDRESS_KIB);
    run_until_told(stacks_main, "TUCOSTACK");
    snprintf(
        text, sizeof text,
        "ulimit -v (%ju KiB), ulimit -l (%ju KiB) if the program locks its memory, and "
        "vm.max_map_count (%ld)\n",
        (uintmax_t)ADDRESS_KIB, (uintmax_t)LOCKED_KIB, os_max_mappings());
    ASSERT_HAS(seen, text);
    ASSERT_EQ(
        sscanf(seen,
               "tuco: %u goroutines wait for stack memory (256 KiB each by default); "
               "the process uses %ld KiB of address space: see",
               &goroutines, &told_kib),
        2);
    ASSERT_EQ(goroutines, 1);
    ASSERT_LT(labs(told_kib - used_kib()), told_kib / 4);
}
