/* SPDX-License-Identifier: MIT */
/* Proves: tuco_accept() skips connections that were aborted before it accepted them, and
   waits for the next connection (NP-21). */
#include "net.h"
#include "fault.h"

static const int errors[] = {ECONNABORTED, EPROTO};
#define ERRORS ((int)(sizeof errors / sizeof errors[0]))

static tuco_wg wg;

static void accept_one(void *listener) {
    tuco_fd *f;
    ASSERT_EQ(tuco_accept(listener, &f), 0);
    net_hear(f, "here I am");
    ASSERT_EQ(tuco_fd_close(f), 0);
}

/* The first three calls of accept4() report an aborted connection. */
static int run_main(void *arg) {
    tuco_fd *listener;
    tuco_fd *f;
    char address[64];
    (void)arg;
    ASSERT_EQ(tuco_listen("tcp4", "127.0.0.1:0", &listener), 0);
    ASSERT_EQ(tuco_local_address(listener, address, sizeof address), 0);
    ASSERT_EQ(tuco_wg_go(&wg, accept_one, listener), 0);
    test_await_waiting(1);
    ASSERT_GE(test_fault_calls(OS_FAULT_ACCEPT), 4);
    ASSERT_EQ(tuco_dial("tcp4", address, TUCO_NEVER, &f), 0);
    net_say(f, "here I am");
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT_EQ(tuco_fd_close(listener), 0);
    return 0;
}

TEST(given_up_connections) {
    for (int i = 0; i < ERRORS; i++) {
        test_fault_plan(OS_FAULT_ACCEPT, 1, 3, errors[i]);
        RUN(run_main);
    }
}
