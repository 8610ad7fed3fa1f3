/* SPDX-License-Identifier: MIT */
/* Proves: inside an announcement the library works as elsewhere: goroutines spawn, use
   channels, sleep and lock. */
#include "chans.h"

#define ROUNDS 200

static tuco_wg wg;
static tuco_mutex lock;
static int locked; /* lock */

static void add_locked(void *arg) {
    (void)arg;
    tuco_mutex_lock(&lock);
    locked++;
    tuco_yield();
    tuco_mutex_unlock(&lock);
}

/* Returns each number with one added, inside an announcement all the time. */
static void echo(void *arg) {
    tuco_chan **talk = arg;
    tuco_blocking_enter();
    for (int i = 0; i < ROUNDS; i++) {
        test_send(talk[1], test_recv(talk[0]) + 1);
        add_locked(NULL);
    }
    tuco_blocking_exit();
}

static void ask(tuco_chan **talk) {
    for (int i = 0; i < ROUNDS; i++) {
        tuco_blocking_enter();
        test_send(talk[0], i);
        tuco_blocking_exit();
        ASSERT_EQ(test_recv(talk[1]), i + 1);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *talk[2] = {CHAN(int, 0), CHAN(int, 0)};
    ASSERT_EQ(tuco_wg_go(&wg, echo, talk), 0);
    ask(talk);
    tuco_wg_wait(&wg);
    tuco_blocking_enter();
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, add_locked, NULL), 0);
    }
    tuco_sleep(TUCO_MILLISECOND);
    tuco_wg_wait(&wg);
    tuco_blocking_exit();
    ASSERT_EQ(locked, 2 * ROUNDS);
    tuco_chan_unref(talk[0]);
    tuco_chan_unref(talk[1]);
    return 0;
}

TEST(runtime_calls_inside_blocking) {
    RUN(run_main);
}
