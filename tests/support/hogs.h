/* SPDX-License-Identifier: MIT */
/* hogs.h: for tests of preemption: ways to compute without a call into the library, and a
   goroutine that counts its turns. */
#ifndef TEST_HOGS_H
#define TEST_HOGS_H

#include "test.h"

#include <stdio.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__) || TEST_CLANG_HAS(thread_sanitizer)
#define HOGS_GET_NO_SIGNALS 1
#else
#define HOGS_GET_NO_SIGNALS 0
#endif

/* Many turns, so that preemption hits many places; few, because a slice takes 10 ms. */
#define HOG_TURNS 20

static tuco_wg turns_wg;
static atomic_int turns;
static atomic_int turns_over;

static inline void hogs_set_procs(int procs) {
    char text[16];
    snprintf(text, sizeof(text), "%d", procs);
    test_setenv("TUCOPROCS", text);
}

/* Sets the number of processors of a test that needs computing goroutines to be
   interrupted. */
static inline void hogs_use(int procs) {
    if (HOGS_GET_NO_SIGNALS) {
        SKIP("ThreadSanitizer holds a signal back while the thread only computes.");
    }
    hogs_set_procs(procs);
}

static inline void turns_take(void *arg) {
    (void)arg;
    while (atomic_load(&turns_over) == 0) {
        atomic_fetch_add(&turns, 1);
        tuco_yield();
    }
}

/* Starts a goroutine that counts its turns. With one processor, turns grows only after
   the computing goroutine has been preempted. */
static inline void turns_start(void) {
    atomic_store(&turns_over, 0);
    ASSERT_EQ(tuco_wg_go(&turns_wg, turns_take, NULL), 0);
}

static inline void turns_stop(void) {
    atomic_store(&turns_over, 1);
    tuco_wg_wait(&turns_wg);
}

/* Computes until there were n more turns. */
static inline void compute_for_turns(int n) {
    int before = atomic_load(&turns);
    while (atomic_load(&turns) - before < n) {
    }
}

/* Computes until the word has this value. */
static inline void compute_until(atomic_int *word, int value) {
    while (atomic_load(word) != value) {
    }
}

/* The clock, without the library. */
static inline tuco_time hog_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * TUCO_SECOND + now.tv_nsec;
}

static inline void compute_for(tuco_time span) {
    tuco_time end = hog_clock() + span;
    while (hog_clock() < end) {
    }
}

/* How long a test of rare moments runs: one second, or the value of --seconds if that is
   more than its default. */
static inline tuco_time hog_span(void) {
    return (test_seconds() > 5 ? test_seconds() : 1) * TUCO_SECOND;
}

/* When goroutines of hogs_run_beside_sleeper() have to end, by hog_clock(). */
static tuco_time hogs_end;

/* How often the sleeper has to wake: few times, because each hog may keep it waiting. */
#define HOGS_TICKS 10

/* Runs count goroutines hog(number) for hog_span(). Requires that the caller, which sleeps
   beside them again and again, keeps waking. */
static inline void hogs_run_beside_sleeper(tuco_fn *hog, int count) {
    tuco_wg wg = {0};
    int ticks = 0;
    hogs_end = hog_clock() + hog_span();
    for (intptr_t i = 0; i < count; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, (void *)i), 0);
    }
    for (; hog_clock() < hogs_end; ticks++) {
        tuco_sleep(TUCO_MILLISECOND);
    }
    tuco_wg_wait(&wg);
    ASSERT_GE(ticks, HOGS_TICKS);
}

#endif
