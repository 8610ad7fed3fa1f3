/* SPDX-License-Identifier: MIT */
/* Proves: reset moves a timer that has not fired, sets a timer that has, and returns
   whether the timer was pending. (TM-08, TM-11) */
#include "timers.h"

#define D     (50 * TUCO_MILLISECOND)
#define MAX   (20 * TUCO_SECOND)
#define MANY  100
#define STEPS 3

static int moved_main(void *arg) {
    (void)arg;
    tuco_time fired;
    tuco_timer *t = MADE(tuco_timer_make(60 * TUCO_SECOND));
    tuco_chan *c = tuco_timer_chan(t);
    tuco_sleep(D);
    tuco_time begin = tuco_now();
    ASSERT(tuco_timer_reset(t, 3 * D));
    ASSERT_EQ(tuco_chan_recv_until(c, &fired, begin + MAX), 0);
    ASSERT_GE(fired, begin + 3 * D);
    begin = tuco_now();
    ASSERT(!tuco_timer_reset(t, D));
    ASSERT_EQ(tuco_chan_recv_until(c, &fired, begin + MAX), 0);
    ASSERT_GE(fired, begin + D);
    ASSERT(!tuco_timer_stop(t));
    ASSERT(!tuco_timer_reset(t, D)); // a stopped one
    ASSERT(tuco_timer_stop(t));
    tuco_timer_free(t);
    return 0;
}

TEST(moves_and_sets) {
    RUN(moved_main);
}

static tuco_timer *timers[MANY];
static tuco_wg all;

/* Sets the timer to far times and stops it each time, while other goroutines do the
   same. */
static void take_through_times(void *arg) {
    static const tuco_time far[STEPS] = {60 * TUCO_SECOND, 180 * TUCO_SECOND,
                                         120 * TUCO_SECOND};
    tuco_timer *t = *(tuco_timer **)arg;
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(t), NULL), 0);
    for (int i = 0; i < STEPS; i++) {
        ASSERT(!tuco_timer_reset(t, far[i]));
        tuco_yield();
        ASSERT(tuco_timer_stop(t));
        tuco_yield();
    }
    tuco_time begin = tuco_now();
    ASSERT(!tuco_timer_reset(t, 0));
    ASSERT_EQ(tuco_chan_recv_until(tuco_timer_chan(t), NULL, begin + MAX), 0);
    tuco_timer_free(t);
}

static int many_main(void *arg) {
    (void)arg;
    for (int i = 0; i < MANY; i++) {
        timers[i] = MADE(tuco_timer_make(0));
    }
    uint64_t random = test_seed() | 1;
    for (int i = MANY - 1; i > 0; i--) {
        random = random * UINT64_C(6364136223846793005) + 1;
        int j = (int)((random >> 33) % (uint64_t)(i + 1));
        tuco_timer *t = timers[i];
        timers[i] = timers[j];
        timers[j] = t;
    }
    for (int i = 0; i < MANY; i++) {
        ASSERT_EQ(tuco_wg_go(&all, take_through_times, &timers[i]), 0);
    }
    tuco_wg_wait(&all);
    return 0;
}

TEST(many_in_random_order) {
    RUN(many_main);
}
