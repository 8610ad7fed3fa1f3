/* SPDX-License-Identifier: MIT */
/* watchdog.c: turns a test that hangs into a report of every goroutine and a failure. */

/*
 * Most bugs of a scheduler show as a hang, so what the goroutines were doing is the very
 * thing to print. A thread of the test's own process does it, because only there can the
 * goroutines be walked. A signal handler could too, but it might have interrupted the
 * thread that holds the lock the dump needs, and ThreadSanitizer holds signals back from
 * threads that sleep in raw system calls.
 *
 * The report itself may hang if the runtime is broken badly enough. The kernel's alarm,
 * left with its default action, then ends the process some seconds later.
 *
 * A fork in a process with several threads is poison under ThreadSanitizer, so the thread
 * is joined before each fork and started again afterwards.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sched/dump.h"

/* What the report may take after the deadline before the kernel ends the process. */
#define GRACE_SECONDS 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* on the monotonic clock; made by test_watchdog_start() */
static pthread_t thread;       /* the thread that calls start, pause and resume only */
static struct timespec deadline; /* written while no watching thread exists */
static bool stopping;            /* lock */
static bool watched;             /* same thread as above: false under --here */

_Noreturn static void report(void) {
    fprintf(stderr, "%s: still running at its deadline (seed %llu); its goroutines:\n",
            test_current_name, (unsigned long long)test_seed());
    fflush(stderr);
    rt_dump_goroutines(STDERR_FILENO);
    abort();
}

static void *watch(void *arg) {
    (void)arg;
    int rc = 0;
    pthread_mutex_lock(&lock);
    while (!stopping && rc != ETIMEDOUT) {
        rc = pthread_cond_timedwait(&changed, &lock, &deadline);
    }
    bool late = !stopping;
    pthread_mutex_unlock(&lock);
    if (late) {
        report();
    }
    return NULL;
}

/* Signals are blocked in the new thread: they are for the threads under test. */
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
}

void test_watchdog_start(double seconds) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)seconds + 1;
    alarm((unsigned)seconds + 1 + GRACE_SECONDS);
    watched = true;
    test_watchdog_resume();
}
