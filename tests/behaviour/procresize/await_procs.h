/* SPDX-License-Identifier: MIT */
/* await_procs.h: for tests whose number of processors follows something. */
#ifndef TEST_PROCS_AWAIT_PROCS_H
#define TEST_PROCS_AWAIT_PROCS_H

#include "test.h"

/* The time within which sysmon must notice a change. */
#define AWAIT_PROCS_LIMIT (10 * TUCO_SECOND)

/* Waits, in a goroutine, until the number changes from before to wanted, and to no other.
   Sleeps between two reads of the number. */
static inline void await_procs(int before, int wanted) {
    tuco_time limit = tuco_deadline(AWAIT_PROCS_LIMIT);
    int procs = tuco_procs(0);
    while (procs != wanted) {
        ASSERT_EQ(procs, before);
        ASSERT_LT(tuco_now(), limit);
        tuco_sleep(10 * TUCO_MILLISECOND);
        procs = tuco_procs(0);
    }
}

#endif
