/* SPDX-License-Identifier: MIT */
/* Proves: a receiver that waits for a timer follows it when it is reset, and one firing
   releases exactly one receiver. (TM-14) */
#include "timers.h"

#define FAR   (3600 * TUCO_SECOND)
#define PAUSE (20 * TUCO_MILLISECOND)

static tuco_timer *timer;
static atomic_int began;
static atomic_int released;

static void receive(void *arg) {
    (void)arg;
    atomic_fetch_add(&began, 1);
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(timer), NULL), 0);
    atomic_fetch_add(&released, 1);
}

static void receive_by_select(void *arg) {
    tuco_chan *never = arg;
    tuco_case cases[] = {TUCO_RECV(never, NULL), TUCO_RECV(tuco_timer_chan(timer), NULL)};
    atomic_fetch_add(&began, 1);
    ASSERT_EQ(tuco_select(cases, 2), 1);
    atomic_fetch_add(&released, 1);
}

/* The pause gives a receiver that is wrongly released the time to count itself. */
static void expect_released(int n) {
    tuco_sleep(PAUSE);
    ASSERT_EQ(atomic_load(&released), n);
}

static int receiver_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    timer = MADE(tuco_timer_make(FAR));
    ASSERT_EQ(tuco_wg_go(&wg, receive, NULL), 0);
    test_await(&began, 1);
    ASSERT(tuco_timer_reset(timer, 2 * FAR));
    expect_released(0);
    ASSERT(tuco_timer_reset(timer, 1));
    tuco_wg_wait(&wg);
    tuco_timer_free(timer);
    return 0;
}

TEST(receiver_follows) {
    RUN(receiver_main);
}

static int two_main(void *arg) {
    tuco_wg wg = {0};
    tuco_chan *never = MADE(tuco_chan_make(0, 0));
    (void)arg;
    timer = MADE(tuco_timer_make(FAR));
    ASSERT_EQ(tuco_wg_go(&wg, receive_by_select, never), 0);
    ASSERT_EQ(tuco_wg_go(&wg, receive_by_select, never), 0);
    test_await(&began, 2);
    tuco_sleep(PAUSE);
    tuco_timer_reset(timer, 1);
    test_await(&released, 1);
    expect_released(1);
    ASSERT(!tuco_timer_reset(timer, 1));
    tuco_wg_wait(&wg);
    tuco_timer_free(timer);
    tuco_chan_unref(never);
    return 0;
}

TEST(one_firing_releases_one) {
    RUN(two_main);
}
