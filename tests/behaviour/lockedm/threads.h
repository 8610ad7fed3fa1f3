/* SPDX-License-Identifier: MIT */
/* threads.h: for tests that look at which thread a goroutine is on. */
#ifndef TEST_THREADS_H
#define TEST_THREADS_H

#include "test.h"

#include <stdio.h>
#include <unistd.h>

/* ---- Threads that end ---- */

/* Whether the process has that thread. The kernel assigns ids in a circle, so that the id
   of an ended thread is not reused within a test. */
static inline bool thread_is_there(int tid) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
    return access(path, F_OK) == 0;
}

/* Yields until that thread has ended. */
static inline void await_thread_gone(int tid) {
    while (thread_is_there(tid)) {
        tuco_yield();
    }
}

/* Whether the caller is on the thread that called tuco_run(): the first of the process,
   in these tests. */
static inline bool on_first_thread(void) {
    return gettid() == getpid();
}

/* ---- Goroutines that run on any thread ---- */

struct visitors {
    atomic_int thread; /* the thread to watch; 0: none */
    atomic_int visits; /* how often a visitor ran on it */
    atomic_int over;
    tuco_wg wg;
};

static inline void visit(void *arg) {
    struct visitors *v = arg;
    while (atomic_load(&v->over) == 0) {
        if (gettid() == atomic_load(&v->thread)) {
            atomic_fetch_add(&v->visits, 1);
        }
        tuco_yield();
    }
}

static inline void visitors_start(struct visitors *v, int count) {
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(tuco_wg_go(&v->wg, visit, v), 0);
    }
}

/* Ends the visitors and waits for them; v can then be used again. */
static inline void visitors_stop(struct visitors *v) {
    atomic_store(&v->over, 1);
    tuco_wg_wait(&v->wg);
    atomic_store(&v->over, 0);
    atomic_store(&v->thread, 0);
    atomic_store(&v->visits, 0);
}

#endif
