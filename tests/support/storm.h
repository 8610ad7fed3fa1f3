/* SPDX-License-Identifier: MIT */
/* storm.h: a thread that sends signals to all others, which interrupt their calls. */
#ifndef TEST_STORM_H
#define TEST_STORM_H

#include "test.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static const int storm_signals[] = {SIGURG, SIGWINCH, SIGCHLD};
#define STORM_SIGNALS ((int)(sizeof(storm_signals) / sizeof(storm_signals[0])))

#define STORM_THREADS_MAX 256

static struct test_thread storm_thread;
static atomic_int storm_handled;
static atomic_int storm_over;

static inline void storm_count(int signal) {
    (void)signal;
    atomic_fetch_add(&storm_handled, 1);
}

/* Sends to each thread by itself: the kernel delivers a signal for the process to its
   first thread, if that does not block it. */
static inline void storm_hit_all(int signal) {
    int tids[STORM_THREADS_MAX];
    int count = test_list_threads(tids, STORM_THREADS_MAX);
    for (int i = 0; i < count && i < STORM_THREADS_MAX; i++) {
        if (tgkill(getpid(), tids[i], signal) != 0) {
            ASSERT_EQ(errno, ESRCH); // it has ended meanwhile
        }
    }
}

static inline void storm_body(void *arg) {
    (void)arg;
    sigset_t all;
    sigfillset(&all);
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0); // they are for other threads
    for (int i = 0; atomic_load(&storm_over) == 0; i++) {
        storm_hit_all(storm_signals[i % STORM_SIGNALS]);
        /* Not sched_yield(): in a loop it kept a CPU from all other threads for a minute,
           the kernel's own among them (Linux 6.18). */
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* Called before the runtime starts, so that the runtime finds these handlers installed.
   Returns when the first signal has arrived: on a busy machine the whole test may end
   before a new thread runs. */
static inline void storm_begin(void) {
    struct sigaction action = {.sa_handler = storm_count}; // without SA_RESTART
    for (int i = 0; i < STORM_SIGNALS; i++) {
        ASSERT_EQ(sigaction(storm_signals[i], &action, NULL), 0);
    }
    test_thread_start(&storm_thread, storm_body, NULL);
    while (atomic_load(&storm_handled) == 0) {
        sched_yield();
    }
}

/* Called while the runtime runs: from then on the runtime's own signals interrupt calls
   too. */
static inline void storm_take_in_runtime(void) {
    struct sigaction action;
    ASSERT_EQ(sigaction(SIGURG, NULL, &action), 0);
    action.sa_flags &= ~SA_RESTART;
    ASSERT_EQ(sigaction(SIGURG, &action, NULL), 0);
}

static inline void storm_end(void) {
    atomic_store(&storm_over, 1);
    test_thread_join(&storm_thread);
}

#endif
