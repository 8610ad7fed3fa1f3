/* SPDX-License-Identifier: MIT */
/* Proves: with just enough threads, at the limit, a goroutine and a wired goroutine pass
   values back and forth without "thread exhaustion". */
/*
 * Bug. The P goes to the thread of the wired goroutine, and when that waits, back to any
 * thread: a spare one or a new one. The thread that had the P before becomes spare only a
 * moment after it has handed it over.
 *
 *     M, which hands its P over           thread of the wired goroutine
 *     gives the P
 *                                         runs it, it waits; no M is spare: the starter
 *                                         is to start one, but the limit is reached
 *     enlists itself as spare
 *
 * Fix. The starter checks repeatedly, and reports only when the P has waited for a
 * second: wait_for_thread().
 *
 * Fails without it: at the limit each of ROUNDS rounds has this window.
 */
/* fixed procs */
#include "chans.h"
#include "test.h"

#define ROUNDS TEST_SIZE(50000, 20000)

static tuco_chan *ping;
static tuco_chan *pong;

static void answer_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    for (int i = 0; i < ROUNDS; i++) {
        test_send(pong, test_recv(ping));
    }
    tuco_unlock_thread();
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ping = CHAN(int, 0);
    pong = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&wg, answer_wired, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        test_send(ping, i);
        ASSERT_EQ(test_recv(pong), i);
    }
    tuco_wg_wait(&wg);
    tuco_chan_unref(ping);
    tuco_chan_unref(pong);
    return 0;
}

TEST(wired_at_the_limit) {
    tuco_config config = {.max_threads = 2};
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
