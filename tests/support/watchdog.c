/* SPDX-License-Identifier: MIT */
/* watchdog.c: turns a test that hangs into a goroutine dump and a failure. */

/*
 * Most scheduler bugs show as a hang, so the state of the goroutines is what to print. A
 * thread of the test's own process prints it, because only there can the goroutines be
 * walked. A signal handler could too, but it might interrupt the thread that holds the
 * lock which the dump needs, and ThreadSanitizer defers signals to threads that sleep in
 * raw system calls.
 *
 * If the runtime is badly broken, the dump itself may hang. Then the kernel's alarm, left
 * with its default action, ends the process some seconds later.
 *
 * On a busy machine a correct test may need many times its limit. So past its limit a test
 * fails only if it has used that much CPU time as well (it computes forever), or hardly
 * any in the last seconds although no thread of it waits for a CPU (it sleeps forever). A
 * test that is merely slowed down gets LONGEST times its limit.
 *
 * A fork in a process with several threads does not work under ThreadSanitizer, so the
 * thread is joined before each fork and started again afterwards.
 */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"
#include "debug/dump.h"
#include "sched/deadlock.h"
#include "debug/sanitize.h"

/* The time for the report after the deadline, before the kernel ends the process. */
#define GRACE_SECONDS 20
#define LONGEST       10
/* A process that sleeps, apart from sysmon, uses less than 1 / ASLEEP of a CPU. */
#define LOOK_SECONDS 5
#define ASLEEP       30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* on the monotonic clock; made by test_watchdog_start() */
static pthread_t thread;       /* only the thread that calls start, pause and resume */
static double limit;           /* written while no watchdog thread exists */
static double begin;           /* same: the start of the test, on the monotonic clock */
static bool stopping;          /* lock */
static bool watched;           /* as thread: false under --here */

_Noreturn static void report(void) {
    fprintf(stderr, "%s: still running at its deadline (seed %llu); its goroutines:\n",
            test_current_name, (unsigned long long)test_seed());
    fflush(stderr);
    alarm(GRACE_SECONDS);
    rt_dump_goroutines(STDERR_FILENO);
    abort();
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Waits until the clock reaches second. Returns whether the test is still running. */
static bool wait_until(double second) {
    struct timespec t = {.tv_sec = (time_t)second};
    int rc = 0;
    t.tv_nsec = (long)((second - (double)t.tv_sec) * 1e9);
    while (!stopping && rc != ETIMEDOUT) {
        rc = pthread_cond_timedwait(&changed, &lock, &t);
    }
    return !stopping;
}

/* Whether the thread is runnable. In its stat file the state follows the program's name in
   brackets. */
static bool is_runnable(const char *tid) {
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", tid);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        return false; /* it has exited */
    }
    bool got = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    const char *bracket = got ? strrchr(text, ')') : NULL;
    return bracket != NULL && strncmp(bracket, ") R", 3) == 0;
}

static bool waits_for_a_cpu(void) {
    DIR *dir = opendir("/proc/self/task");
    bool waits = false;
    if (dir == NULL) {
        return false;
    }
    for (struct dirent *e = readdir(dir); e != NULL && !waits; e = readdir(dir)) {
        waits = atoi(e->d_name) != (int)gettid() && is_runnable(e->d_name);
    }
    closedir(dir);
    return waits;
}

static bool is_late(double cpu_before) {
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    bool asleep = cpu - cpu_before < (double)LOOK_SECONDS / ASLEEP && !waits_for_a_cpu();
    return cpu >= limit || asleep ||
           seconds_of(CLOCK_MONOTONIC) >= begin + LONGEST * limit;
}

static void *watch(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    bool late = false;
    bool running = wait_until(begin + limit);
    while (running && !late) {
        double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        running = wait_until(seconds_of(CLOCK_MONOTONIC) + LOOK_SECONDS);
        late = running && is_late(cpu);
    }
    pthread_mutex_unlock(&lock);
    if (late) {
        report();
    }
    return NULL;
}

/* Blocks all signals in the new thread: they are for the threads under test. */
void test_watchdog_resume(void) {
    sigset_t all;
    sigset_t before;
    if (!watched) {
        return;
    }
    stopping = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ASSERT_EQ(rc, 0);
    rt_deadlock_ignore_threads(1);
}

void test_watchdog_pause(void) {
    if (!watched) {
        return;
    }
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    rt_deadlock_ignore_threads(-1);
}

/* The process has one thread; any others are the emulator's. Called once per process: a
   child inherits its parent's count. */
static void ignore_emulator(void) {
    static int ignored;
    int others = RT_TSAN ? 0 : os_thread_count() - 1;
    rt_deadlock_ignore_threads(others - ignored);
    ignored = others;
}

void test_watchdog_start(double seconds) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    limit = seconds;
    begin = seconds_of(CLOCK_MONOTONIC);
    alarm((unsigned)(LONGEST * limit) + LOOK_SECONDS + GRACE_SECONDS);
    watched = true;
    ignore_emulator();
    test_watchdog_resume();
}
