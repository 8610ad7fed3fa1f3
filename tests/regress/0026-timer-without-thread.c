/* SPDX-License-Identifier: MIT */
/* Proves: a processor that could not get a thread for its timers gets one as soon as
   threads can be started. */
/*
 * Bug. A wired goroutine that waits leaves its P to another thread. If none could be
 * started, the P was set aside, and became idle 10 ms later. The runtime assumes that the
 * queue of an idle P is empty and that an M of its own sleeps until its timers are due;
 * this P had no M, and its timers never fired.
 *
 * Fix. rt_pidle_retry_unstartable() requests a thread again for a P that has timers or
 * goroutines.
 *
 * Fails without it: the only timer belongs to the only goroutine, and a thread for its P
 * is refused a few times.
 */
/* fixed procs */
#include "os/fault.h"
#include "test.h"

#include <errno.h>

#define REFUSALS 3

static atomic_int refusals_left;

static int refuse_thread(enum os_fault_kind kind) {
    if (kind != OS_FAULT_THREAD || atomic_load(&refusals_left) == 0) {
        return 0;
    }
    atomic_fetch_sub(&refusals_left, 1); // only the starter gets here
    return EAGAIN;
}

static int sleep_main(void *arg) {
    (void)arg;
    tuco_lock_thread();
    atomic_store(&refusals_left, REFUSALS);
    tuco_sleep(TUCO_MILLISECOND);
    ASSERT_EQ(atomic_load(&refusals_left), 0);
    return 0;
}

TEST(timer_without_thread) {
    test_setenv("TUCOPROCS", "1");
    os_fault_hook = refuse_thread;
    RUN(sleep_main);
    os_fault_hook = NULL;
}
