/* SPDX-License-Identifier: MIT */
/* Proves: the end of the runtime does not wait for foreign threads that wait for each
   other, and they can still wake each other. */
/*
 * Bug. tuco_stop() and the end of tuco_run() closed the entry to the library and then
 * waited until no foreign thread was inside a call, the waiting ones included.
 *
 *     waiter                      stop                        waker
 *     inside tuco_wg_wait()
 *                                 phase := stopping
 *                                 waits for the waiter
 *                                                             tuco_wg_done(): the entry
 *                                                             is closed, waits for stop
 *
 * Fix. The end of the runtime waits only for active threads. A waiting thread keeps its
 * descriptor, which the next end of the runtime frees, and the entry is open again right
 * after.
 *
 * Fails without it: the waker calls only after the phase has changed. By then the old end
 * of the runtime already waited for the waiter.
 */
#include "sched/sched.h"
#include "test.h"

static tuco_wg wg;
static atomic_int ending;

static void wait_for_other(void *arg) {
    (void)arg;
    tuco_wg_wait(&wg);
}

static void wake_other(void *arg) {
    (void)arg;
    test_spin(&ending, 1);
    while (rt_phase_now() == RT_RUNNING) {
        sched_yield();
    }
    tuco_wg_done(&wg);
}

/* Returns when the group's word, in its lower half, names the waiter. */
static int await_waiter(void *arg) {
    (void)arg;
    while ((uint32_t)rt_load_acq((rt_atomic(uint64_t) *)&wg.tuco_private) == 0) {
        tuco_yield();
    }
    atomic_store(&ending, 1);
    return 0;
}

static void start_both(struct test_thread threads[2]) {
    tuco_wg_add(&wg, 1);
    test_thread_start(&threads[0], wait_for_other, NULL);
    test_thread_start(&threads[1], wake_other, NULL);
}

static void join_both(struct test_thread threads[2]) {
    test_thread_join(&threads[0]);
    test_thread_join(&threads[1]);
    ASSERT_EQ(tuco_start(), 0); // this end of the runtime frees the descriptor
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

TEST(while_stop_waits) {
    struct test_thread threads[2];
    ASSERT_EQ(tuco_start(), 0);
    start_both(threads);
    await_waiter(NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    join_both(threads);
}

TEST(while_run_ends) {
    struct test_thread threads[2];
    start_both(threads);
    RUN(await_waiter);
    join_both(threads);
}
