/* SPDX-License-Identifier: MIT */
/* Proves: a timer that is freed before it fires costs no more time and no memory. (TM-21,
   TM-22) */
/* fixed procs */
#include "fault.h"
#include "timers.h"

#define SLEEPERS TEST_SIZE(5000, 1000)
#define TRIPS    TEST_SIZE(200000, 10000)
#define FAR      (3600 * TUCO_SECOND)
#define MAX      (60 * TUCO_SECOND)
#define TIMERS   10000

static void sleep_short(void *arg) {
    (void)arg;
    tuco_sleep(10 * TUCO_MICROSECOND);
}

static void echo(void *arg) {
    tuco_chan **c = arg;
    int value;
    while (tuco_chan_recv(c[0], &value) == 0) {
        ASSERT_EQ(tuco_chan_send(c[1], &value), 0);
    }
}

static void trip(tuco_chan **c, int i) {
    int value = -1;
    tuco_chan *late = MADE(tuco_after(5 * TUCO_SECOND));
    tuco_case cases[] = {TUCO_RECV(c[1], &value), TUCO_RECV(late, NULL)};
    ASSERT_EQ(tuco_chan_send(c[0], &i), 0);
    if (tuco_select(cases, 2) == 0) {
        ASSERT_EQ(value, i);
    } else {
        ASSERT_EQ(tuco_chan_recv(c[1], NULL), 0);
    }
    tuco_chan_unref(late);
}

static int trips_main(void *arg) {
    tuco_wg wg = {0};
    tuco_chan *c[] = {MADE(tuco_chan_make(sizeof(int), 1)),
                      MADE(tuco_chan_make(sizeof(int), 1))};
    (void)arg;
    for (int i = 0; i < SLEEPERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, sleep_short, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_wg_go(&wg, echo, c), 0);
    tuco_time begin = tuco_now();
    long resident = test_resident_kib();
    for (int i = 0; i < TRIPS; i++) {
        trip(c, i);
    }
    ASSERT_LT(tuco_now() - begin, MAX);
    if (!TEST_SANITIZED) { // sanitizers keep freed memory
        ASSERT_LT(test_resident_kib() - resident, 4096);
    }
    tuco_chan_close(c[0]);
    tuco_wg_wait(&wg);
    tuco_chan_unref(c[0]);
    tuco_chan_unref(c[1]);
    return 0;
}

TEST(each_trip_with_a_timer) {
    RUN(trips_main);
}

static int made_and_freed_main(void *arg) {
    (void)arg;
    for (int i = 0; i < TIMERS; i++) {
        tuco_timer *stopped = MADE(tuco_timer_make(FAR));
        tuco_timer *running = MADE(tuco_timer_func(FAR, sleep_short, NULL));
        tuco_ticker *ticker = MADE(tuco_ticker_make(FAR));
        ASSERT(tuco_timer_stop(stopped));
        tuco_timer_free(stopped);
        tuco_timer_free(running);
        tuco_ticker_free(ticker);
        tuco_chan_unref(MADE(tuco_after(FAR)));
    }
    return 0;
}

TEST(freed_without_rest) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, 1); // counts, and fails none
    RUN(made_and_freed_main);
    test_fault_expect_balance();
}

/* A channel outlives its timer while the caller holds a reference. */
static int channel_main(void *arg) {
    (void)arg;
    tuco_timer *t = MADE(tuco_timer_make(0));
    tuco_chan *c = tuco_chan_ref(tuco_timer_chan(t));
    ASSERT_EQ(tuco_chan_recv(c, NULL), 0);
    tuco_timer_reset(t, FAR);
    tuco_timer_free(t);
    ASSERT(tuco_chan_try_recv(c, NULL) != 0);
    tuco_chan_unref(c);
    return 0;
}

TEST(channel_is_kept) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, 1);
    RUN(channel_main);
    test_fault_expect_balance();
}
