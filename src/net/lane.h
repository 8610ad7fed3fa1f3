/* SPDX-License-Identifier: MIT */
/* Whose turn it is: those who want to operate in one direction of a descriptor do so one
   after the other, in the order in which they came. */
#ifndef RT_NET_LANE_H
#define RT_NET_LANE_H

/*
 * A turn that ends is handed to the first in the queue, which has it before it is woken:
 * nobody overtakes. There is no deadline: a direction has one for all, so that the one whose
 * turn it is gives up then, and those behind it one after the other. A close does not wait
 * for that: it sends all of them away, since the one whose turn it is may be in a call to the
 * kernel that nobody can end.
 *
 * Invariants, whenever the lock is free:
 *   the queue is not empty   -> it is somebody's turn, and not closed
 */
#include "base/compiler.h"
#include "sched/wait.h"
#include <stdbool.h>

struct rt_lane {
    struct rt_spin lock;
    /* The lock. */
    bool taken;
    bool closed;
    struct rt_waitq queue;
};

/* Waits until it is the caller's turn. Returns 0, or -ECANCELED if it is closed. pc: where
   the program called in. Outside. */
int rt_lane_take(struct rt_lane *t, const void *pc) RT_NODISCARD;

/* The caller's turn is over. Outside. */
void rt_lane_pass(struct rt_lane *t);

/* Sends away all who wait, and who come later. Outside. */
void rt_lane_close(struct rt_lane *t);

#endif
