/* SPDX-License-Identifier: MIT */
/* Proves: a dial of "unix" to a listener with a full backlog waits until there is room,
   until its deadline, or until the listener is closed. It blocks no thread, and other
   goroutines run meanwhile. */
#include "loopback.h"

#define WAITERS      5
#define MANY         100
#define MANY_THREADS 50

static char address[LO_TEXT];
static tuco_fd *listener;
static atomic_int dialed;
static int expected;

static tuco_fd *fill(void) {
    listener = lo_listen("unix", "@");
    ASSERT_EQ(listen(tuco_fd_raw(listener), 0), 0);
    return lo_dial("unix", lo_local(listener, address));
}

static void dial(void *arg) {
    tuco_fd *f = NULL;
    atomic_fetch_add(&dialed, 1);
    ASSERT_EQ(tuco_dial("unix", address, TUCO_NEVER, &f), expected);
    (void)arg;
    if (f != NULL) {
        lo_close(f);
    }
}

static void start(tuco_wg *wg, int result) {
    expected = result;
    for (int i = 0; i < WAITERS; i++) {
        ASSERT_EQ(tuco_wg_go(wg, dial, NULL), 0);
    }
    test_await(&dialed, WAITERS);
}

static int room_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_fd *f = fill();
    start(&wg, 0);
    for (int i = 0; i < WAITERS + 1; i++) {
        lo_close(lo_accept(listener));
    }
    tuco_wg_wait(&wg);
    lo_close(f);
    lo_close(listener);
    return 0;
}

TEST(room) {
    RUN(room_main);
}

static int deadline_main(void *arg) {
    (void)arg;
    tuco_fd *f = fill();
    tuco_fd *none = NULL;
    tuco_time deadline = tuco_deadline(10 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_dial("unix", address, deadline, &none), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
    ASSERT(none == NULL);
    lo_close(f);
    lo_close(listener);
    return 0;
}

TEST(deadline) {
    RUN(deadline_main);
}

static int gone_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_fd *f = fill();
    start(&wg, -ECONNREFUSED);
    lo_close(listener);
    tuco_wg_wait(&wg);
    lo_close(f);
    return 0;
}

TEST(gone) {
    RUN(gone_main);
}

static void dial_in_vain(void *deadline) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial("unix", address, *(tuco_time *)deadline, &f), -ETIMEDOUT);
}

static int many_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_fd *f = fill();
    tuco_time deadline = tuco_deadline(30 * TUCO_MILLISECOND);
    for (int i = 0; i < MANY; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, dial_in_vain, &deadline), 0);
    }
    while (tuco_now() < deadline) {
        ASSERT_LT(test_count_threads(), MANY_THREADS);
        tuco_yield();
    }
    tuco_wg_wait(&wg);
    lo_close(f);
    lo_close(listener);
    return 0;
}

TEST(many) {
    RUN(many_main);
}
