/* SPDX-License-Identifier: MIT */
/* Proves: the runtime reports no deadlock while a goroutine sleeps or a timer is set, and
   reports one after the last timer was fired or stopped, by whichever thread. */
#include "timers.h"

#define PAUSE   (30 * TUCO_MILLISECOND)
#define FAR     (3600 * TUCO_SECOND)
#define MESSAGE "fatal error: all goroutines are asleep - deadlock!"

static tuco_chan *never_sent;

static void wait_for_ever(void) {
    tuco_chan_recv(never_sent, NULL);
}

static void sleep_and_end(void *arg) {
    (void)arg;
    tuco_sleep(PAUSE);
}

static int sleeping_main(void *arg) {
    (void)arg;
    tuco_sleep(PAUSE);
    return 0;
}

TEST(sleeper_is_no_deadlock) {
    RUN(sleeping_main);
}

static int after_sleep_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(sleep_and_end, NULL), 0);
    wait_for_ever();
    return 0;
}

TEST(after_the_last_sleep) {
    RUN_DIES(after_sleep_main, MESSAGE);
}

static int for_ever_main(void *arg) {
    (void)arg;
    tuco_sleep(TUCO_NEVER);
    return 0;
}

TEST(sleep_for_ever_is_one) {
    RUN_DIES(for_ever_main, "goroutine 1 [sleep");
}

static int fired_main(void *arg) {
    (void)arg;
    (void)MADE(tuco_timer_make(PAUSE)); // no goroutine receives its value
    wait_for_ever();
    return 0;
}

TEST(after_the_last_timer) {
    RUN_DIES(fired_main, MESSAGE);
}

/* Sysmon fires it, and finds no other timer. */
static void set_timer(void *arg) {
    (void)arg;
    (void)MADE(tuco_timer_make(PAUSE));
}

static int fired_by_sysmon_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    test_thread_start(&thread, set_timer, NULL);
    test_thread_join(&thread);
    wait_for_ever();
    return 0;
}

TEST(after_the_last_timer_of_a_thread) {
    RUN_DIES(fired_by_sysmon_main, MESSAGE);
}

/* The last thread stops the last timer, and ends. */
static void *stop_later(void *timer) {
    tuco_sleep(PAUSE);
    tuco_timer_stop(timer);
    return NULL;
}

static int stopped_main(void *arg) {
    pthread_t thread;
    tuco_timer *t = MADE(tuco_timer_make(FAR));
    (void)arg;
    ASSERT_EQ(pthread_create(&thread, NULL, stop_later, t), 0);
    ASSERT_EQ(pthread_detach(thread), 0);
    wait_for_ever();
    return 0;
}

TEST(after_the_last_timer_is_stopped) {
    RUN_DIES(stopped_main, MESSAGE);
}
