/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine whose calls into the library never block still yields there to
   others, without any signal. */
/* fixed procs */
#include "chans.h"
#include "hogs.h"

static tuco_mutex lock;
static tuco_chan *buffered;
static tuco_chan *closed;

static void lock_and_unlock(void) {
    tuco_mutex_lock(&lock);
    tuco_mutex_unlock(&lock);
}

static void send_and_receive(void) {
    test_send(buffered, 1);
    ASSERT_EQ(test_recv(buffered), 1);
}

static void find_nothing(void) {
    ASSERT_EQ(tuco_chan_try_recv(buffered, NULL), -EAGAIN);
}

static void find_the_end(void) {
    ASSERT_EQ(tuco_chan_recv(closed, NULL), -EPIPE);
}

static void select_nothing(void) {
    tuco_case cases[] = {TUCO_RECV(buffered, NULL), TUCO_DEFAULT};
    ASSERT_EQ(tuco_select(cases, 2), 1);
}

static void announce_nothing(void) {
    tuco_blocking_enter();
    tuco_blocking_exit();
}

static int run_main(void *arg) {
    (void)arg;
    void (*calls[])(void) = {lock_and_unlock, send_and_receive, find_nothing,
                             find_the_end,    select_nothing,   announce_nothing};
    buffered = CHAN(int, 1);
    closed = CHAN(int, 1);
    tuco_chan_close(closed);
    turns_start();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        int before = atomic_load(&turns);
        while (atomic_load(&turns) - before < 3) {
            calls[i]();
        }
    }
    turns_stop();
    tuco_chan_unref(buffered);
    tuco_chan_unref(closed);
    return 0;
}

TEST(calls_are_checkpoints) {
    hogs_set_procs(1);
    test_setenv("TUCODEBUG", "asyncpreemptoff=1");
    RUN(run_main);
}
