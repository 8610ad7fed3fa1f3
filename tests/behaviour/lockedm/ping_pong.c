/* SPDX-License-Identifier: MIT */
/* Proves: two wired goroutines pass a value to and fro ten thousand times, each on its
   own thread, with one, two and four processors. */
/* fixed procs */
#include "chans.h"
#include "threads.h"

#define ROUNDS TEST_SIZE(10000, 2000)

static tuco_chan *ping;
static tuco_chan *pong;
static atomic_int answerer;
static atomic_int server;

static void answer(void *arg) {
    (void)arg;
    tuco_lock_thread();
    int tid = gettid();
    atomic_store(&answerer, tid);
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(test_recv(ping), i);
        ASSERT_EQ(gettid(), tid);
        test_send(pong, -i);
        ASSERT_EQ(gettid(), tid);
    }
    tuco_unlock_thread();
}

static void serve(void *arg) {
    (void)arg;
    tuco_lock_thread();
    int tid = gettid();
    atomic_store(&server, tid);
    for (int i = 0; i < ROUNDS; i++) {
        test_send(ping, i);
        ASSERT_EQ(test_recv(pong), -i);
        ASSERT_EQ(gettid(), tid);
    }
    tuco_unlock_thread();
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ping = CHAN(int, 0);
    pong = CHAN(int, 0);
    ASSERT_EQ(tuco_wg_go(&wg, answer, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, serve, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_NE(atomic_load(&answerer), atomic_load(&server));
    tuco_chan_unref(ping);
    tuco_chan_unref(pong);
    return 0;
}

TEST(one_processor) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}

TEST(two_processors) {
    test_setenv("TUCOPROCS", "2");
    RUN(run_main);
}

TEST(four_processors) {
    test_setenv("TUCOPROCS", "4");
    RUN(run_main);
}
