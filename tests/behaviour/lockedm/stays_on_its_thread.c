/* SPDX-License-Identifier: MIT */
/* Proves: a wired goroutine stays on one thread, whatever it waits for, and no other
   goroutine ever runs on that thread. */
#include "chans.h"
#include "threads.h"

#define ROUNDS   10
#define VISITORS 4
#define NAP      TUCO_MILLISECOND

static struct visitors visitors;
static tuco_chan *to_wired;
static tuco_chan *from_wired;

static void wait_for_others(void) {
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(test_recv(to_wired), i);
        ASSERT_EQ(gettid(), atomic_load(&visitors.thread));
        test_send(from_wired, i);
        ASSERT_EQ(gettid(), atomic_load(&visitors.thread));
    }
}

/* The sleep is a wait under test, not synchronisation. */
static void wait_for_turns(void) {
    for (int i = 0; i < ROUNDS; i++) {
        tuco_yield();
        ASSERT_EQ(gettid(), atomic_load(&visitors.thread));
        tuco_sleep(NAP);
        ASSERT_EQ(gettid(), atomic_load(&visitors.thread));
    }
}

static void be_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    atomic_store(&visitors.thread, gettid());
    wait_for_others();
    wait_for_turns();
    ASSERT_EQ(atomic_load(&visitors.visits), 0);
    atomic_store(&visitors.thread, 0);
    tuco_unlock_thread();
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    to_wired = CHAN(int, 0);
    from_wired = CHAN(int, 0);
    visitors_start(&visitors, VISITORS);
    ASSERT_EQ(tuco_wg_go(&wg, be_wired, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        test_send(to_wired, i);
        ASSERT_EQ(test_recv(from_wired), i);
    }
    tuco_wg_wait(&wg);
    visitors_stop(&visitors);
    tuco_chan_unref(to_wired);
    tuco_chan_unref(from_wired);
    return 0;
}

TEST(stays_on_its_thread) {
    RUN(run_main);
}
