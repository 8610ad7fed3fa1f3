/* SPDX-License-Identifier: MIT */
/* Proves: when the close of a listener returns, its port is free and its file is gone,
   although goroutines and threads were waiting to accept. */
#include "net.h"
#include "loopback.h"

#define ROUNDS    TEST_SIZE(200, 50)
#define ACCEPTORS 3

static tuco_wg wg;

static void accept_until_closed(void *listener) {
    tuco_fd *f;
    ASSERT_EQ(tuco_accept(listener, &f), -ECANCELED);
    tuco_fd_unref(listener);
}

static void start_acceptors(tuco_fd *l) {
    for (int i = 0; i < ACCEPTORS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, accept_until_closed, tuco_fd_ref(l)), 0);
    }
    test_await_waiting(ACCEPTORS);
}

static int port_main(void *arg) {
    char address[LO_TEXT];
    (void)arg;
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    lo_local(l, address);
    for (int i = 0; i < ROUNDS; i++) {
        start_acceptors(l);
        lo_close(l);
        l = lo_listen("tcp", address);
        tuco_wg_wait(&wg);
    }
    lo_close(l);
    return 0;
}

TEST(port) {
    RUN(port_main);
}

static int file_main(void *path) {
    for (int i = 0; i < ROUNDS; i++) {
        tuco_fd *l = lo_listen("unix", path);
        start_acceptors(l);
        lo_close(l);
        ASSERT_EQ(access(path, F_OK), -1);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(file) {
    char path[LO_TEXT];
    ASSERT_EQ(tuco_run(file_main, lo_path(path)), 0);
}

static int return_main(void *path) {
    tuco_fd *l = lo_listen("unix", path);
    start_acceptors(l);
    lo_close(l);
    return 0;
}

static void run_and_return(void *path) {
    ASSERT_EQ(tuco_run(return_main, path), 0);
}

TEST(file_when_main_returns) {
    static struct test_child child;
    char path[LO_TEXT];
    lo_path(path);
    for (int i = 0; i < 5; i++) {
        test_child_run(&child, run_and_return, path);
        EXPECT_STATUS(&child, 0);
        ASSERT_EQ(access(path, F_OK), -1);
    }
}

static void close_and_listen(void *listener) {
    char address[LO_TEXT];
    lo_local(listener, address);
    lo_close(listener);
    lo_close(lo_listen("tcp", address));
}

static int thread_closes_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    for (int i = 0; i < ROUNDS / 10; i++) {
        tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
        start_acceptors(l);
        test_thread_start(&thread, close_and_listen, l);
        tuco_wg_wait(&wg);
        test_thread_join(&thread);
    }
    return 0;
}

TEST(thread_closes) {
    RUN(thread_closes_main);
}

static int thread_accepts_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    for (int i = 0; i < ROUNDS / 10; i++) {
        tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
        test_thread_start(&thread, accept_until_closed, tuco_fd_ref(l));
        test_await_waiting(1);
        close_and_listen(l);
        test_thread_join(&thread);
    }
    return 0;
}

TEST(thread_accepts) {
    RUN(thread_accepts_main);
}
