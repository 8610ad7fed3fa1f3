/* SPDX-License-Identifier: MIT */
/* Proves: if a thread forks while another is in a call, and no runtime runs, the child
   can run a runtime and end it, although the other thread does not exist there. */
/* not under tsan */
#include "chans.h"
#include "os/fault.h"

static tuco_chan *c;
static atomic_int in_call;
static atomic_int may_go_on;

/* A thread that waits needs a descriptor, and sleeps a little if there is no memory for
   one. It stops there, without a lock. */
static int stop_in_call(enum os_fault_kind kind) {
    bool stops = atomic_load(&may_go_on) == 0;
    if (stops && kind == OS_FAULT_FUTEX_WAIT) {
        atomic_store(&in_call, 1);
        test_spin(&may_go_on, 1);
    }
    return stops && kind == OS_FAULT_RESERVE ? ENOMEM : 0;
}

static void receive(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_chan_recv(c, NULL), -EPIPE);
}

static void run_in_child(void *arg) {
    (void)arg;
    atomic_store(&may_go_on, 1);
    RUN(test_empty_main);
    RUN(test_empty_main);
}

TEST(fork_beside_a_call) {
    static struct test_child child;
    struct test_thread thread;
    RUN(test_empty_main); // from here on forks are watched
    c = CHAN(int, 0);
    os_fault_hook = stop_in_call;
    test_thread_start(&thread, receive, NULL);
    test_spin(&in_call, 1);
    test_child_run(&child, run_in_child, NULL);
    EXPECT_STATUS(&child, 0);
    atomic_store(&may_go_on, 1);
    tuco_chan_close(c);
    test_thread_join(&thread);
    os_fault_hook = NULL;
    tuco_chan_unref(c);
}
