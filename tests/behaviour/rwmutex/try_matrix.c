/* SPDX-License-Identifier: MIT */
/* Proves: what a try returns while the lock is free, locked for writing and locked for
   reading; and the same for a deadline in the past. (RW-03) */
#include "test.h"

#include <errno.h>

static void expect(tuco_rwmutex *rw, bool may_read, bool may_write) {
    ASSERT_EQ(tuco_rwmutex_try_rlock(rw), may_read);
    if (may_read) {
        tuco_rwmutex_runlock(rw);
    }
    ASSERT_EQ(tuco_rwmutex_rlock_until(rw, 0), may_read ? 0 : -ETIMEDOUT);
    if (may_read) {
        tuco_rwmutex_runlock(rw);
    }
    ASSERT_EQ(tuco_rwmutex_try_lock(rw), may_write);
    if (may_write) {
        tuco_rwmutex_unlock(rw);
    }
    ASSERT_EQ(tuco_rwmutex_lock_until(rw, 0), may_write ? 0 : -ETIMEDOUT);
    if (may_write) {
        tuco_rwmutex_unlock(rw);
    }
}

static void try_all(void *arg) {
    tuco_rwmutex *rw = arg;
    expect(rw, true, true);
    tuco_rwmutex_lock(rw);
    expect(rw, false, false);
    tuco_rwmutex_unlock(rw);
    tuco_rwmutex_rlock(rw);
    expect(rw, true, false);
    tuco_rwmutex_rlock(rw);
    expect(rw, true, false);
    tuco_rwmutex_runlock(rw);
    tuco_rwmutex_runlock(rw);
    expect(rw, true, true);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_rwmutex rw = {0};
    try_all(&rw);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread_without_runtime) {
    tuco_rwmutex rw = {0};
    try_all(&rw);
}
