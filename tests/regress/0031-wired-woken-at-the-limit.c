/* SPDX-License-Identifier: MIT */
/* Proves: if every thread that may exist waits for its own wired goroutine, a woken one
   of these runs, although a processor waits for a thread to run other goroutines. */
/*
 * Bug. The processor was in the list of those that need a thread, and no thread could be
 * started. A wired goroutine that was then woken found no idle processor and did not get
 * this one: "thread exhaustion" after a second.
 *
 * Fix. If no thread can be started, the starter gives the processor to the thread of a
 * runnable wired goroutine: rt_pidle_give_to_lockedm().
 */
/* fixed procs */
#include "chans.h"
#include "test.h"

#include "sched/thread/wakep.h"

#define WIRED 3 /* main is another */

static tuco_chan *go_on;
static tuco_wg wg;

static void run_plain(void *arg) {
    (void)arg;
}

static void wait_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    ASSERT_EQ(tuco_chan_recv(go_on, &(int){0}), -EPIPE);
    tuco_unlock_thread();
}

static void wake_when_wanted(void *arg) {
    (void)arg;
    while (rt_pidle_wanted() == 0) {
        sched_yield();
    }
    tuco_chan_close(go_on);
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread waker;
    go_on = CHAN(int, 0);
    tuco_lock_thread();
    for (int i = 0; i < WIRED; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_wired, NULL), 0);
    }
    test_await_waiting(WIRED);
    ASSERT_EQ(tuco_wg_go(&wg, run_plain, NULL), 0);
    test_thread_start(&waker, wake_when_wanted, NULL);
    tuco_wg_wait(&wg);
    test_thread_join(&waker);
    tuco_chan_unref(go_on);
    return 0;
}

TEST(wired_woken_at_the_limit) {
    tuco_config config = {.max_threads = WIRED + 1};
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
