/* SPDX-License-Identifier: MIT */
/* turns.h: for tests that count how many turns other goroutines get before a goroutine
   gets its own. */
#ifndef TEST_TURNS_H
#define TEST_TURNS_H

#include "test.h"

#include <stdio.h>
#include <time.h>

/* The best of these rounds counts: on a busy machine a thread may lose its CPU, and the
   other Ps run on while the goroutines of its P wait. */
#define TURNS_ROUNDS 3

/* Requires that measure(arg) returns at most most in one of the rounds. */
static inline void turns_expect_at_most(tuco_time most, tuco_time (*measure)(void *),
                                        void *arg) {
    tuco_time least = measure(arg);
    for (int i = 1; i < TURNS_ROUNDS && least > most; i++) {
        tuco_time now = measure(arg);
        least = now < least ? now : least;
    }
    ASSERT_LE(least, most);
}

static inline void turns_use_procs(int procs) {
    char text[16];
    snprintf(text, sizeof(text), "%d", procs);
    test_setenv("TUCOPROCS", text);
}

/* A test that runs main_fn on procs processors. */
#define TURNS_TEST(name, procs, main_fn) \
    TEST(name) {                         \
        turns_use_procs(procs);          \
        RUN(main_fn);                    \
    }

static inline tuco_time turns_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * TUCO_SECOND + now.tv_nsec;
}

/* Computes for span of the thread's CPU time, which stops while the kernel runs other
   threads. */
static inline void turns_compute(tuco_time span) {
    tuco_time end = turns_clock(CLOCK_THREAD_CPUTIME_ID) + span;
    while (turns_clock(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

#endif
