/* SPDX-License-Identifier: MIT */
/* Proves: each connection goes to one waiting acceptor. A deadline ends the wait, and a
   past deadline refuses even a pending connection (NP-01). A close ends the wait with
   -ECANCELED, and later calls return -EBADF (NP-10, NP-13). */
#include "loopback.h"
#include "waiting.h"

#define ACCEPTORS 8

static tuco_fd *listener;
static atomic_int accepted;
static atomic_int canceled;

static void accept_until_closed(void *arg) {
    (void)arg;
    tuco_fd *f = NULL;
    int rc;
    while ((rc = tuco_accept(listener, &f)) == 0) {
        lo_close(f);
        f = NULL;
        atomic_fetch_add(&accepted, 1);
    }
    ASSERT_EQ(rc, -ECANCELED);
    ASSERT(f == NULL);
    atomic_fetch_add(&canceled, 1);
}

static void expect_each_once(void) {
    char text[LO_TEXT];
    for (int i = 0; i < 3 * ACCEPTORS; i++) {
        lo_close(lo_dial("tcp", lo_local(listener, text)));
        test_await(&accepted, i + 1);
    }
}

static void expect_deadline(void) {
    tuco_fd *f = NULL;
    char text[LO_TEXT];
    tuco_time deadline = tuco_deadline(TUCO_MILLISECOND);
    ASSERT_EQ(tuco_fd_set_read_deadline(listener, deadline), 0);
    ASSERT_EQ(tuco_accept(listener, &f), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    tuco_fd *dialed = lo_dial("tcp", lo_local(listener, text));
    ASSERT_EQ(tuco_accept(listener, &f), -ETIMEDOUT);
    ASSERT(f == NULL);
    ASSERT_EQ(tuco_fd_set_read_deadline(listener, TUCO_NEVER), 0);
    lo_close(lo_accept(listener));
    lo_close(dialed);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_fd *f;
    listener = lo_listen("tcp", "127.0.0.1:0");
    expect_deadline();
    for (int i = 0; i < ACCEPTORS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, accept_until_closed, NULL), 0);
    }
    expect_each_once();
    test_await_waiting("IO wait", ACCEPTORS);
    tuco_fd_ref(listener);
    lo_close(listener);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&canceled), ACCEPTORS);
    ASSERT_EQ(tuco_accept(listener, &f), -EBADF);
    tuco_fd_unref(listener);
    return 0;
}

TEST(accept_waits) {
    RUN(run_main);
}
