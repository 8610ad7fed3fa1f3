/* SPDX-License-Identifier: MIT */
/* Proves: a select with a deadline gives up at it and not before, whatever its cases, and
   leaves its channels unchanged; a ready case is chosen even after the deadline. */
#include "chans.h"

#define WAIT (5 * TUCO_MILLISECOND)

static void expect_waits(tuco_case *cases, size_t n) {
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_select_until(cases, n, begin + WAIT), -ETIMEDOUT);
    ASSERT_GE(tuco_now() - begin, WAIT);
    ASSERT_EQ(tuco_select_until(cases, n, begin), -ETIMEDOUT);
    ASSERT_EQ(tuco_select_until(cases, n, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_select_until(cases, n, INT64_MIN), -ETIMEDOUT);
}

static int run_main(void *arg) {
    (void)arg;
    int value = 8;
    int got = -1;
    tuco_chan *c = CHAN(int, 1);
    tuco_chan *never = CHAN(int, 0);
    tuco_case cases[] = {TUCO_RECV(never, &got), TUCO_SEND(never, &value),
                         TUCO_RECV(c, &got), TUCO_RECV(NULL, &got)};
    expect_waits(NULL, 0);
    expect_waits(&cases[3], 1);
    expect_waits(cases, 1);
    expect_waits(cases, 2);
    expect_waits(cases, 4);
    ASSERT_EQ(got, -1);
    test_send(c, 8);
    ASSERT_EQ(tuco_select_until(cases, 4, 0), 2);
    ASSERT_EQ(got, 8);
    ASSERT_EQ(tuco_chan_try_send(never, &value), -EAGAIN); // its queue is empty
    ASSERT_EQ(tuco_chan_try_recv(never, &got), -EAGAIN);
    tuco_chan_unref(c);
    tuco_chan_unref(never);
    return 0;
}

TEST(until_deadline) {
    RUN(run_main);
}

static void on_thread(void *arg) {
    run_main(arg);
}

TEST(until_deadline_on_thread) {
    on_thread(NULL);
    ASSERT_EQ(tuco_start(), 0);
    test_threads_run(4, on_thread, NULL);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
