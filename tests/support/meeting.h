/* SPDX-License-Identifier: MIT */
/* meeting.h: workers that wait for each other after every turn. The last one wakes all
   others, so the ring of its P always has some. */
#ifndef TEST_MEETING_H
#define TEST_MEETING_H

#include "chans.h"

#define MEETING_WORKERS 60

/* A channel for each worker, with room for one value. */
static tuco_chan *meeting_calls[MEETING_WORKERS];
static atomic_int meeting_arrived;

/* Starts the workers work(number), in wg. */
static inline void meeting_begin(tuco_wg *wg, tuco_fn *work) {
    for (int i = 0; i < MEETING_WORKERS; i++) {
        meeting_calls[i] = CHAN(int, 1);
    }
    for (int i = 0; i < MEETING_WORKERS; i++) {
        ASSERT_EQ(tuco_wg_go(wg, work, (void *)(intptr_t)i), 0);
    }
}

/* All workers have ended. */
static inline void meeting_end(void) {
    for (int i = 0; i < MEETING_WORKERS; i++) {
        tuco_chan_unref(meeting_calls[i]);
    }
}

/* A worker also calls this when it ends; only then may a channel be full. */
static inline void meeting_wake_all_but(int self) {
    for (int i = 0; i < MEETING_WORKERS; i++) {
        if (i != self) {
            (void)!tuco_chan_try_send(meeting_calls[i], &(int){0});
        }
    }
}

/* Waits until all workers are here. The last one wakes the others, into the ring. */
static inline void meeting_wait(int self) {
    if (atomic_fetch_add(&meeting_arrived, 1) + 1 < MEETING_WORKERS) {
        test_recv(meeting_calls[self]);
        return;
    }
    atomic_store(&meeting_arrived, 0);
    meeting_wake_all_but(self);
}

#endif
