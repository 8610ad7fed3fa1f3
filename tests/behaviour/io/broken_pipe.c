/* SPDX-License-Identifier: MIT */
/* Proves: a write to a pipe or connection without a reader returns -EPIPE, each time, at
   once and in a wait. It raises no SIGPIPE: the process does not end, no handler is
   called, and a pending SIGPIPE of the program stays (NP-19). */
#include "net.h"
#include "fault.h"

#include <signal.h>

#define TIMES 20

static const char much[NET_TOO_MUCH];
static tuco_wg wg;
static atomic_int handled;

static void on_signal(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
}

static void write_often(tuco_fd *f, bool is_socket) {
    struct iovec iov[2] = {{(char *)much, 5}, {(char *)much, 5}};
    for (int i = 0; i < TIMES; i++) {
        ASSERT_EQ(tuco_fd_write(f, much, 10), -EPIPE);
        ASSERT_EQ(tuco_fd_writev(f, iov, 2), -EPIPE);
        ASSERT_EQ(tuco_fd_write_some(f, much, 10), -EPIPE);
        ASSERT_EQ(tuco_fd_writev_some(f, iov, 2), -EPIPE);
        if (is_socket) {
            ASSERT_EQ(tuco_fd_sendto(f, much, 10, NULL, 0), -EPIPE);
        }
    }
}

static void expect_broken(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -EPIPE);
}

static void break_all(void *arg) {
    net_kind *kinds[] = {net_pipe, net_fifo, net_socketpair};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct net_pair p = net_open(kinds[i]);
        ASSERT_EQ(tuco_fd_close(p.in), 0);
        write_often(p.out, kinds[i] == net_socketpair);
        ASSERT_EQ(tuco_fd_close(p.out), 0);
    }
    struct net_pair p = net_open(net_tcp);
    ASSERT_EQ(tuco_fd_shutdown(p.out, SHUT_WR), 0);
    write_often(p.out, true);
    net_close(&p);
}

static int run_main(void *arg) {
    break_all(arg);
    struct net_pair p = net_open(net_pipe);
    ASSERT_EQ(tuco_wg_go(&wg, expect_broken, p.out), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    return 0;
}

/* Runs with this handler of SIGPIPE, on a kernel that can suppress the signal for a pipe,
   or on an old kernel that cannot. */
static void run_with(void (*handler)(int), bool old_kernel) {
    uint64_t blocked = test_blocked_signals(gettid());
    ASSERT(signal(SIGPIPE, handler) != SIG_ERR);
    if (old_kernel) {
        test_fault_plan(OS_FAULT_FD_QUIET, 1, TEST_FAULT_ALWAYS, EOPNOTSUPP);
    }
    RUN(run_main);
    break_all(NULL);
    ASSERT_EQ(test_blocked_signals(gettid()), blocked);
    ASSERT(signal(SIGPIPE, SIG_DFL) == handler);
    ASSERT_EQ(atomic_load(&handled), 0);
}

TEST(default_action) {
    run_with(SIG_DFL, false);
}

TEST(handler) {
    run_with(on_signal, false);
}

TEST(default_action_on_old_kernel) {
    run_with(SIG_DFL, true);
}

TEST(handler_on_old_kernel) {
    run_with(on_signal, true);
}

/* A SIGPIPE that the program has sent itself stays pending until the program takes it. */
TEST(pending_signal_stays) {
    sigset_t pipe_only;
    sigset_t pending;
    test_fault_plan(OS_FAULT_FD_QUIET, 1, TEST_FAULT_ALWAYS, EOPNOTSUPP);
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &pipe_only, NULL), 0);
    ASSERT_EQ(raise(SIGPIPE), 0);
    break_all(NULL);
    ASSERT_EQ(sigpending(&pending), 0);
    ASSERT_EQ(sigismember(&pending, SIGPIPE), 1);
    ASSERT_EQ(sigtimedwait(&pipe_only, NULL, &(struct timespec){0}), SIGPIPE);
    break_all(NULL);
    ASSERT_EQ(sigpending(&pending), 0);
    ASSERT_EQ(sigismember(&pending, SIGPIPE), 0);
}
