/* SPDX-License-Identifier: MIT */
/* Proves: a try fails while the mutex is locked, and succeeds when it is free. (MX-01) */
#include "test.h"

static void try_it(void *arg) {
    tuco_mutex *m = arg;
    ASSERT(tuco_mutex_try_lock(m));
    ASSERT(!tuco_mutex_try_lock(m));
    tuco_mutex_unlock(m);
    tuco_mutex_lock(m);
    ASSERT(!tuco_mutex_try_lock(m));
    tuco_mutex_unlock(m);
    ASSERT(tuco_mutex_try_lock(m));
    tuco_mutex_unlock(m);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    try_it(&m);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread_without_runtime) {
    tuco_mutex m = {0};
    try_it(&m);
}
