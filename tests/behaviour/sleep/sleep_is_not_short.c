/* SPDX-License-Identifier: MIT */
/* Proves: a sleep lasts as long as requested, in goroutines and in threads, although
   signals interrupt the threads that wait; and it does not restart at each signal.
   (TM-01, TM-25) */
/* not under qemu */
#include "test.h"

#include <signal.h>
#include <sys/time.h>

#define SPAN       (200 * TUCO_MILLISECOND)
#define SPAN_MAX   (20 * TUCO_SECOND) /* restarted at each signal, it would never end */
#define SIGNAL_US  7000
#define GOROUTINES 16

static atomic_int signals;

static void count_signal(int number) {
    (void)number;
    atomic_fetch_add(&signals, 1);
}

static void signal_often(void) {
    struct sigaction action = {.sa_handler = count_signal};
    struct itimerval often = {{0, SIGNAL_US}, {0, SIGNAL_US}};
    ASSERT_EQ(sigaction(SIGALRM, &action, NULL), 0);
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void sleep_once(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_sleep(SPAN);
    tuco_time lasted = tuco_now() - begin;
    ASSERT_GE(lasted, SPAN);
    ASSERT_LT(lasted, SPAN_MAX);
}

static int sleep_main(void *arg) {
    tuco_wg wg = {0};
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, sleep_once, NULL), 0);
    }
    sleep_once(arg);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(goroutines) {
    signal_often();
    RUN(sleep_main);
    ASSERT_GT(atomic_load(&signals), 0);
}

TEST(thread_without_runtime) {
    signal_often();
    sleep_once(NULL);
    ASSERT_GT(atomic_load(&signals), 0);
}

static int until_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 200; i++) {
        tuco_time deadline = tuco_deadline(i * TUCO_MICROSECOND);
        tuco_sleep_until(deadline);
        ASSERT_GE(tuco_now(), deadline);
    }
    return 0;
}

TEST(until_is_not_short_either) {
    RUN(until_main);
    until_main(NULL); // as a thread
}
