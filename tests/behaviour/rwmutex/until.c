/* SPDX-License-Identifier: MIT */
/* Proves: a reader or writer gives up at its deadline and not before; when a writer gives
   up, the readers that waited behind it get the lock. */
#include "waiting.h"

#include <errno.h>

#define WAIT (5 * TUCO_MILLISECOND)

static tuco_rwmutex rw;
static tuco_wg end;

static void expect_timeout(int (*lock)(tuco_rwmutex *, tuco_time)) {
    tuco_time deadline = tuco_deadline(WAIT);
    ASSERT_EQ(lock(&rw, deadline), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
}

static void read_once(void *arg) {
    (void)arg;
    tuco_rwmutex_rlock(&rw);
    tuco_rwmutex_runlock(&rw);
}

/* The reader waits behind the writer, or locks before it. */
static void write_in_vain(void *arg) {
    ASSERT_EQ(tuco_wg_go(&end, read_once, arg), 0);
    expect_timeout(tuco_rwmutex_lock_until);
}

static int run_main(void *arg) {
    tuco_rwmutex_lock(&rw);
    expect_timeout(tuco_rwmutex_lock_until);
    expect_timeout(tuco_rwmutex_rlock_until);
    tuco_rwmutex_unlock(&rw);
    tuco_rwmutex_rlock(&rw);
    ASSERT_EQ(tuco_wg_go(&end, write_in_vain, arg), 0);
    tuco_wg_wait(&end); // main holds its read lock all the time
    ASSERT(tuco_rwmutex_try_rlock(&rw));
    tuco_rwmutex_runlock(&rw);
    tuco_rwmutex_runlock(&rw);
    ASSERT_EQ(tuco_rwmutex_lock_until(&rw, tuco_deadline(WAIT)), 0);
    tuco_rwmutex_unlock(&rw);
    return 0;
}

TEST(until) {
    RUN(run_main);
}
