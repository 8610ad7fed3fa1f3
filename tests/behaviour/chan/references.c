/* SPDX-License-Identifier: MIT */
/* Proves: a channel is freed when its last reference is released, by any holder, and not
   before. */
#include "chans.h"
#include "fault.h"

#define HOLDERS TEST_SIZE(200, 50)
#define ROUNDS  TEST_SIZE(200, 20)

static tuco_wg end;

static int frees(void) {
    return test_fault_calls(OS_FAULT_FREE);
}

TEST(last_reference_frees) {
    test_fault_plan(OS_FAULT_FREE, 1, 0, ENOMEM);
    tuco_chan *c = CHAN(int, 3);
    test_send(c, 1); // must survive the releases below
    int before = frees();
    ASSERT(tuco_chan_ref(c) == c);
    ASSERT(tuco_chan_ref(c) == c);
    tuco_chan_unref(c);
    tuco_chan_unref(c);
    ASSERT_EQ(frees(), before);
    ASSERT_EQ(test_recv(c), 1);
    tuco_chan_unref(c);
    ASSERT_EQ(frees(), before + 1);
    ASSERT(tuco_chan_ref(NULL) == NULL);
    tuco_chan_unref(NULL);
    ASSERT_EQ(frees(), before + 1);
}

/* Releases its reference as soon as its call has returned, while its waker may still be
   in a call. */
static void receive_and_leave(void *c) {
    tuco_chan_recv(c, NULL);
    tuco_chan_unref(c);
}

static void close_among_holders(void) {
    tuco_chan *c = CHAN(int, 2);
    for (int i = 0; i < HOLDERS; i++) {
        ASSERT_EQ(tuco_wg_go(&end, receive_and_leave, tuco_chan_ref(c)), 0);
    }
    for (int i = 0; i < HOLDERS / 2; i++) {
        test_send(c, i);
    }
    tuco_chan_close(c);
    tuco_chan_unref(c);
    tuco_wg_wait(&end);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        close_among_holders();
    }
    return 0;
}

TEST(holders_leave_at_once) {
    test_fault_plan(OS_FAULT_ALLOC, 1, 0, ENOMEM);
    RUN(run_main);
    test_fault_expect_balance();
}
