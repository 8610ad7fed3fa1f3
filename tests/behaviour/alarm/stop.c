/* SPDX-License-Identifier: MIT */
/* Proves: a timer that is stopped in time does not fire, and stop returns whether it was
   in time. (TM-06) */
#include "timers.h"

#define MANY  100
#define SHORT (50 * TUCO_MILLISECOND)
#define LONG  (150 * TUCO_MILLISECOND)
#define QUIET (200 * TUCO_MILLISECOND)

static atomic_int runs;

static void count_run(void *arg) {
    (void)arg;
    atomic_fetch_add(&runs, 1);
}

static int few_main(void *arg) {
    (void)arg;
    tuco_timer *function = MADE(tuco_timer_func(SHORT, count_run, NULL));
    tuco_timer *channel = MADE(tuco_timer_make(LONG));
    ASSERT(tuco_timer_stop(function));
    ASSERT(tuco_timer_stop(channel));
    tuco_sleep(QUIET);
    ASSERT_EQ(atomic_load(&runs), 0);
    ASSERT_EQ(tuco_chan_try_recv(tuco_timer_chan(channel), NULL), -EAGAIN);
    ASSERT(!tuco_timer_stop(function));
    ASSERT(!tuco_timer_stop(channel));
    tuco_timer_free(function);
    tuco_timer_free(channel);
    return 0;
}

TEST(stopped_ones_are_silent) {
    RUN(few_main);
}

static int many_main(void *arg) {
    tuco_timer *timers[MANY];
    (void)arg;
    for (int i = 0; i < MANY; i++) {
        timers[i] = MADE(tuco_timer_func(QUIET, count_run, NULL));
    }
    int stopped = 0;
    for (int i = 0; i < MANY; i++) {
        stopped += tuco_timer_stop(timers[i]);
        tuco_timer_free(timers[i]);
    }
    tuco_sleep(2 * QUIET);
    // none has run, unless the machine was slow
    ASSERT_EQ(stopped + atomic_load(&runs), MANY);
    return 0;
}

TEST(each_fires_or_was_stopped) {
    RUN(many_main);
}

static int fired_main(void *arg) {
    (void)arg;
    tuco_timer *function = MADE(tuco_timer_func(0, count_run, NULL));
    tuco_timer *channel = MADE(tuco_timer_make(0));
    test_await(&runs, 1);
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(channel), NULL), 0);
    ASSERT(!tuco_timer_stop(function));
    ASSERT(!tuco_timer_stop(channel));
    tuco_timer_free(function);
    tuco_timer_free(channel);
    return 0;
}

TEST(too_late) {
    RUN(fired_main);
}

/* A timer is freed, by its maker or by another goroutine, at about the time it fires. */
static void free_it(void *timer) {
    tuco_timer_free(timer);
}

static int race_main(void *arg) {
    (void)arg;
    for (int i = 0; i < TEST_SIZE(2000, 500); i++) {
        tuco_timer *a = MADE(tuco_timer_func(i % 50 * TUCO_MICROSECOND, count_run, NULL));
        tuco_timer *b = MADE(tuco_timer_make(i % 50 * TUCO_MICROSECOND));
        tuco_wg wg = {0};
        ASSERT_EQ(tuco_wg_go(&wg, free_it, a), 0);
        tuco_sleep(i % 60 * TUCO_MICROSECOND);
        tuco_timer_free(b);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(freed_while_firing) {
    RUN(race_main);
}
