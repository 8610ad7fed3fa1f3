/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that polls a word and yields does not keep others from running, and
   sees the word change. */
#include "test.h"

#define YIELDS 1000

static tuco_wg wg;
static atomic_int value;
static atomic_int ack;

static void poll_and_ack(void *arg) {
    (void)arg;
    test_await(&value, 42);
    atomic_store(&ack, 1);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, poll_and_ack, NULL), 0);
    for (int i = 0; i < YIELDS; i++) {
        tuco_yield(); // long enough for the poller to be in its loop, on every processor
        ASSERT_EQ(atomic_load(&ack), 0);
    }
    atomic_store(&value, 42);
    test_await(&ack, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(yield_lets_others_run) {
    RUN(run_main);
}

/* On a plain thread it yields the thread, with and without a runtime. */
TEST(yield_on_a_foreign_thread) {
    tuco_yield();
    ASSERT_EQ(tuco_start(), 0);
    tuco_yield();
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
