/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine sleeps, receives ticks and times out on its thread, like any
   other. The function of its timer runs although the goroutine waits for it. */
#include "threads.h"
#include "timers.h"

#define SPAN  (2 * TUCO_MILLISECOND)
#define TICKS 10

static tuco_wg fired;

static void count_fired(void *arg) {
    ASSERT_NE(gettid(), (int)(intptr_t)arg);
    tuco_wg_done(&fired);
}

static void sleep_wired(int tid) {
    for (int i = 0; i < TICKS; i++) {
        tuco_time deadline = tuco_deadline(SPAN);
        tuco_sleep_until(deadline);
        ASSERT_GE(tuco_now(), deadline);
        ASSERT_EQ(gettid(), tid);
    }
}

static void tick_wired(int tid) {
    tuco_ticker *ticker = MADE(tuco_ticker_make(SPAN));
    for (int i = 0; i < TICKS; i++) {
        ASSERT_EQ(tuco_chan_recv(tuco_ticker_chan(ticker), NULL), 0);
        ASSERT_EQ(gettid(), tid);
    }
    tuco_ticker_free(ticker);
}

static void time_out_wired(int tid) {
    tuco_wg never = {0};
    tuco_wg_add(&never, 1);
    for (int i = 0; i < TICKS; i++) {
        ASSERT_EQ(tuco_wg_wait_until(&never, tuco_deadline(SPAN)), -ETIMEDOUT);
        ASSERT_EQ(gettid(), tid);
    }
}

/* The function runs in a goroutine of its own, so not on this thread. */
static void fire_wired(int tid) {
    tuco_wg_add(&fired, 1);
    tuco_timer *timer = MADE(tuco_timer_func(SPAN, count_fired, (void *)(intptr_t)tid));
    tuco_wg_wait(&fired);
    tuco_timer_free(timer);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_lock_thread();
    sleep_wired(gettid());
    tick_wired(gettid());
    time_out_wired(gettid());
    fire_wired(gettid());
    return 0;
}

TEST(timers) {
    RUN(run_main);
}
