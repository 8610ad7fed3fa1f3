/* SPDX-License-Identifier: MIT */
/* busy_turns.h: goroutines that keep all processors busy in turns of known length, so that
   a test can count how many turns come before an event. */
#ifndef TEST_BUSY_TURNS_H
#define TEST_BUSY_TURNS_H

#include "turns.h"

#define TURN_NS 200000

static tuco_wg turns_wg;
static atomic_bool turns_end;
static _Atomic int64_t turns_due_ns; /* 0: not set yet */
static atomic_int turns_since;       /* turns begun after turns_due_ns */

static void turns_take(void *arg) {
    (void)arg;
    while (!atomic_load(&turns_end)) {
        int64_t due = atomic_load(&turns_due_ns);
        if (due != 0 && tuco_now() >= due) {
            atomic_fetch_add(&turns_since, 1);
        }
        turns_compute(TURN_NS);
        tuco_yield();
    }
}

static inline void turns_begin(int count) {
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(tuco_wg_go(&turns_wg, turns_take, NULL), 0);
    }
}

static inline void turns_finish(void) {
    atomic_store(&turns_end, true);
    tuco_wg_wait(&turns_wg);
}

#endif
