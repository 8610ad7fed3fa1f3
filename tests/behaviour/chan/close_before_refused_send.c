/* SPDX-License-Identifier: MIT */
/* Proves: a sender whose send is refused because of a close sees all writes made before
   the close, whether it waited or came later, in a send or in a select. */
#include "chans.h"

#define ROUNDS TEST_SIZE(300, 60)

static tuco_chan *c;
static int plain; /* ThreadSanitizer reports a missing ordering */

/* Relaxed everywhere: it must not create the ordering. */
static atomic_int closed;

static void send_and_look(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_chan_send(c, &(int){1}), -EPIPE);
    ASSERT_EQ(plain, 1);
}

static void select_and_look(void *arg) {
    tuco_case cases[] = {TUCO_SEND(c, &(int){1}), TUCO_RECV(NULL, NULL)};
    (void)arg;
    ASSERT_EQ(tuco_select(cases, 2), 0);
    ASSERT_EQ(cases[0].result, -EPIPE);
    ASSERT_EQ(plain, 1);
}

static void come_later(void *arg) {
    while (atomic_load_explicit(&closed, memory_order_relaxed) == 0) {
        tuco_yield();
    }
    send_and_look(arg);
    select_and_look(arg);
}

static int run_main(void *arg) {
    tuco_wg end = {0};
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        c = CHAN(int, 0);
        plain = 0;
        atomic_store_explicit(&closed, 0, memory_order_relaxed);
        ASSERT_EQ(tuco_wg_go(&end, send_and_look, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&end, select_and_look, NULL), 0);
        test_await_waiting(2);
        ASSERT_EQ(tuco_wg_go(&end, come_later, NULL), 0);
        plain = 1;
        tuco_chan_close(c);
        atomic_store_explicit(&closed, 1, memory_order_relaxed);
        tuco_wg_wait(&end);
        tuco_chan_unref(c);
    }
    return 0;
}

TEST(close_before_refused_send) {
    RUN(run_main);
}
