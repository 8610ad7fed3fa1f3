/* SPDX-License-Identifier: MIT */
/* Proves: timers that are set when the runtime ends do not fire. They can be stopped and
   freed afterwards, and set again in the next run. */
#include "fault.h"
#include "timers.h"

#define FAR   (3600 * TUCO_SECOND)
#define SHORT (5 * TUCO_MILLISECOND)
#define PAUSE (30 * TUCO_MILLISECOND)

static atomic_int runs;

static void count_run(void *arg) {
    (void)arg;
    atomic_fetch_add(&runs, 1);
}

static void expect_dead(tuco_timer *t) {
    tuco_sleep(PAUSE);
    ASSERT_EQ(tuco_chan_try_recv(tuco_timer_chan(t), NULL), -EAGAIN);
    ASSERT(!tuco_timer_stop(t));
    ASSERT(!tuco_timer_reset(t, SHORT)); // does not set it: no thread would fire it
    ASSERT(!tuco_timer_stop(t));
}

TEST(started_runtime) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, 1);
    ASSERT_EQ(tuco_start(), 0);
    tuco_timer *function = MADE(tuco_timer_func(PAUSE, count_run, NULL));
    tuco_timer *t = MADE(tuco_timer_make(PAUSE));
    tuco_chan *c = MADE(tuco_after(FAR));
    tuco_ticker *ticker = MADE(tuco_ticker_make(FAR));
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    int before = atomic_load(&runs);
    tuco_timer_stop(t); // the machine may have been slow: then it has fired
    expect_dead(t);
    tuco_timer_free(function);

    ASSERT_EQ(tuco_start(), 0);
    ASSERT(!tuco_timer_reset(t, SHORT));
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(t), NULL), 0);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(atomic_load(&runs), before);
    tuco_timer_free(t);
    tuco_ticker_free(ticker);
    tuco_chan_unref(c);
    test_fault_expect_balance();
}

static tuco_timer *kept;

static int run_main(void *arg) {
    (void)arg;
    if (kept == NULL) {
        kept = MADE(tuco_timer_make(FAR));
    } else {
        tuco_timer_reset(kept, SHORT);
        ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(kept), NULL), 0);
    }
    return 0;
}

TEST(run_twice) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, 1);
    RUN(run_main);
    expect_dead(kept);
    RUN(run_main);
    tuco_timer_free(kept);
    test_fault_expect_balance();
}
