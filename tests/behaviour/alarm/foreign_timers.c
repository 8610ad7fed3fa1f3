/* SPDX-License-Identifier: MIT */
/* Proves: foreign threads make, receive from, reset and free timers, and share a timer
   with a goroutine. The functions of their timers run in goroutines. */
#include "timers.h"

#define SHORT   (2 * TUCO_MILLISECOND)
#define FAR     (3600 * TUCO_SECOND)
#define THREADS 3
#define ROUNDS  50

static tuco_wg all;
static tuco_timer *shared;

static void count_run(void *arg) {
    (void)arg;
    ASSERT_GT(tuco_id(), 0);
    tuco_wg_done(&all);
}

static void use_timers(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_time begin = tuco_now();
        tuco_time value;
        tuco_timer *far = MADE(tuco_timer_make(FAR));
        tuco_timer *function = MADE(tuco_timer_func(SHORT / 2, count_run, NULL));
        tuco_chan *c = MADE(tuco_after(SHORT));
        ASSERT_EQ(tuco_chan_recv(c, &value), 0);
        ASSERT_GE(value, begin + SHORT);
        ASSERT(tuco_timer_reset(far, 0)); // earlier than whatever sysmon sleeps until
        ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(far), NULL), 0);
        tuco_timer_free(far);
        tuco_timer_free(function);
        tuco_chan_unref(c);
    }
}

TEST(threads_alone) {
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&all, THREADS * ROUNDS);
    test_threads_run(THREADS, use_timers, NULL);
    tuco_wg_wait(&all); // freeing a timer does not undo that it has fired
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

static void wait_for_shared(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(shared), NULL), 0);
        tuco_timer_reset(shared, i % 3 * TUCO_MICROSECOND);
    }
}

TEST(shared_with_goroutines) {
    struct test_thread thread;
    ASSERT_EQ(tuco_start(), 0);
    shared = MADE(tuco_timer_make(0));
    ASSERT_EQ(tuco_wg_go(&all, wait_for_shared, NULL), 0);
    test_thread_start(&thread, wait_for_shared, NULL);
    test_thread_join(&thread);
    tuco_wg_wait(&all);
    ASSERT_EQ(tuco_chan_recv(tuco_timer_chan(shared), NULL), 0);
    tuco_timer_free(shared);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
