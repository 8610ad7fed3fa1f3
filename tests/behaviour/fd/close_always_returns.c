/* SPDX-License-Identifier: MIT */
/* Proves: a close that waits for calls to leave always returns: beside another close,
   beside goroutines that compute, and beside calls of goroutines that do not continue
   because main has returned, or returns meanwhile. */
#include "net.h"

#define READERS 8

static struct net_pair p;
static tuco_wg wg;
static atomic_int closes;
static atomic_int stop;

static void read_until_closed(void *f) {
    ASSERT_AMONG(tuco_fd_read(f, &(char){0}, 1), -ECANCELED, -EBADF, -ESRCH);
    tuco_fd_unref(f);
}

static void start_readers(void) {
    p = net_open(net_socketpair);
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, read_until_closed, tuco_fd_ref(p.in)), 0);
    }
    test_await_waiting(READERS);
}

static void close_once(void *f) {
    int result = tuco_fd_close(f);
    ASSERT_AMONG(result, 0, -EBADF);
    atomic_fetch_add(&closes, result == 0);
}

static int several_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    for (int i = 0; i < 20; i++) {
        atomic_store(&closes, 0);
        start_readers();
        test_thread_start(&thread, close_once, tuco_fd_ref(p.in));
        for (int k = 0; k < 3; k++) {
            ASSERT_EQ(tuco_wg_go(&wg, close_once, tuco_fd_ref(p.in)), 0);
        }
        close_once(p.in);
        tuco_wg_wait(&wg);
        test_thread_join(&thread);
        ASSERT_EQ(atomic_load(&closes), 1);
        ASSERT_EQ(tuco_fd_close(p.out), 0);
    }
    return 0;
}

TEST(several_closes) {
    RUN(several_main);
}

static void compute(void *arg) {
    (void)arg;
    test_spin(&stop, 1);
}

static int beside_hogs_main(void *arg) {
    (void)arg;
    start_readers();
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, compute, NULL), 0);
    }
    net_close(&p);
    atomic_store(&stop, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(beside_hogs) {
    RUN(beside_hogs_main);
}

static int leave_main(void *arg) {
    (void)arg;
    start_readers();
    return 0;
}

TEST(main_has_returned) {
    RUN(leave_main);
    net_close(&p);
}

static struct test_thread closer;

static int leave_beside_close_main(void *arg) {
    (void)arg;
    start_readers();
    test_thread_start(&closer, close_once, p.in);
    return 0;
}

TEST(main_returns) {
    RUN(leave_beside_close_main);
    test_thread_join(&closer);
    ASSERT_EQ(atomic_load(&closes), 1);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
}

/* Has no runtime, and nothing to wait for. */
TEST(without_a_runtime) {
    p = net_open(net_socketpair);
    net_close(&p);
}
