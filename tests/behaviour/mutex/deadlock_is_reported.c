/* SPDX-License-Identifier: MIT */
/* Proves: if no goroutine is left that can unlock a mutex, the runtime reports a deadlock
   and names the goroutine that waits. */
#include "test.h"

static int run_main(void *arg) {
    (void)arg;
    tuco_mutex m = {0};
    tuco_mutex_lock(&m);
    tuco_mutex_lock(&m);
    return 0;
}

TEST(deadlock_is_reported) {
    RUN_DIES(run_main, "all goroutines are asleep - deadlock!");
    RUN_DIES(run_main, "goroutine 1 [sync.Mutex.Lock]:");
}
