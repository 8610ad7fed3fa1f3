/* SPDX-License-Identifier: MIT */
/* Proves: other users of a pipe or a terminal do not see it become non-blocking. If it
   cannot be reopened, the flag is restored when the last handle is closed or the process
   ends, but not by a child process. Standard output keeps working with plain write(). */
/* slow */
/* not under tsan */
/* not under qemu */
#include "net.h"
#include "fault.h"
#include "support.h"

#include <sys/eventfd.h>
#include <sys/wait.h>

#define MUCH 200000

static bool is_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    ASSERT_GE(flags, 0);
    return (flags & O_NONBLOCK) != 0;
}

static int share(int fd) {
    int shared = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    ASSERT_GE(shared, 0);
    return shared;
}

TEST(pipes_and_terminals) {
    net_kind *kinds[] = {net_pipe, net_fifo, net_terminal};
    for (int i = 0; i < 3; i++) {
        int fd[2];
        kinds[i](fd);
        ASSERT_EQ(fcntl(fd[0], F_SETFL, fcntl(fd[0], F_GETFL) & ~O_NONBLOCK), 0);
        int shared[2] = {share(fd[0]), share(fd[1])};
        struct net_pair p = {.in = net_wrap(fd[0]), .out = net_wrap(fd[1])};
        ASSERT_EQ(tuco_fd_raw(p.in), fd[0]);
        ASSERT(!is_nonblocking(shared[0]));
        ASSERT(kinds[i] == net_terminal || !is_nonblocking(shared[1]));
        net_expect_working(&p);
        net_close(&p);
        for (int k = 0; k < 2; k++) {
            ASSERT(!is_nonblocking(shared[k]));
            ASSERT_EQ(close(shared[k]), 0);
        }
    }
}

static void expect_put_back(int fd) {
    int shared = share(fd);
    tuco_fd *first = net_wrap(fd);
    tuco_fd *second = net_wrap(share(fd));
    ASSERT(is_nonblocking(shared));
    ASSERT_EQ(tuco_fd_close(first), 0);
    ASSERT(is_nonblocking(shared));
    ASSERT_EQ(tuco_fd_close(second), 0);
    ASSERT(!is_nonblocking(shared));
    ASSERT_EQ(close(shared), 0);
}

TEST(put_back) {
    int fd[2];
    net_socketpair(fd);
    expect_put_back(fd[0]);
    ASSERT_EQ(close(fd[1]), 0);
    expect_put_back(eventfd(0, EFD_CLOEXEC));
    net_terminal(fd);
    expect_put_back(fd[1]);
    ASSERT_EQ(close(fd[0]), 0);
}

/* As on a system without /proc. */
TEST(put_back_of_pipe) {
    int fd[2];
    net_pipe(fd);
    test_fault_plan(OS_FAULT_FD_REOPEN, 1, TEST_FAULT_ALWAYS, EACCES);
    expect_put_back(fd[0]);
    ASSERT_EQ(close(fd[1]), 0);
}

/* Another process, or the program itself, has set the flag before. */
TEST(left_as_it_was) {
    int fd[2];
    net_socketpair(fd);
    int shared = share(fd[0]);
    ASSERT_EQ(fcntl(shared, F_SETFL, fcntl(shared, F_GETFL) | O_NONBLOCK), 0);
    ASSERT_EQ(tuco_fd_close(net_wrap(fd[0])), 0);
    ASSERT(is_nonblocking(shared));
    ASSERT_EQ(close(shared), 0);
    ASSERT_EQ(close(fd[1]), 0);
}

static tuco_fd *left[2]; // open until the process ends

static int wrap_main(void *fd) {
    left[0] = net_wrap(*(int *)fd);
    return 0;
}

static void wrap_and_exit(void *fd) {
    ASSERT_EQ(tuco_run(wrap_main, fd), 0);
    exit(0);
}

TEST(put_back_at_exit) {
    static struct test_child child;
    int fd[2];
    net_socketpair(fd);
    test_child_run(&child, wrap_and_exit, &fd[0]);
    EXPECT_STATUS(&child, 0);
    ASSERT(!is_nonblocking(fd[0]));
}

static void only_exit(void *unused) {
    (void)unused;
    exit(0);
}

static void close_handle(void *f) {
    ASSERT_EQ(tuco_fd_close(f), 0);
}

TEST(not_by_a_child) {
    static struct test_child child;
    struct net_pair p = net_open(net_socketpair);
    test_child_run(&child, only_exit, NULL);
    EXPECT_STATUS(&child, 0);
    test_child_run(&child, close_handle, p.in);
    EXPECT_STATUS(&child, 0);
    ASSERT(is_nonblocking(tuco_fd_raw(p.in)));
    net_close(&p);
}

/* Standard descriptors. The child wraps them, and then prints as any program does. */

static const int *standard_in;
static const int *standard_out;

static void print_much(void) {
    static const char text[MUCH];
    for (size_t at = 0; at < MUCH;) {
        ssize_t n = write(STDOUT_FILENO, text + at, MUCH - at);
        if (n < 0) {
            _exit(3);
        }
        at += (size_t)n;
    }
}

static int standard_main(void *unused) {
    char byte;
    (void)unused;
    left[0] = net_wrap(STDIN_FILENO);
    left[1] = net_wrap(STDOUT_FILENO);
    ASSERT_EQ(tuco_fd_read(left[0], &byte, 1), 1);
    ASSERT_EQ(tuco_fd_write(left[1], &byte, 1), 1);
    print_much();
    return 0;
}

/* The watchdog's thread may hold a lock of ASan's allocator, which the child would wait
   for: so the thread ends before the fork. */
static pid_t start_child(void) {
    test_watchdog_pause();
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        dup2(*standard_in, STDIN_FILENO);
        dup2(*standard_out, STDOUT_FILENO);
        exit(tuco_run(standard_main, NULL));
    }
    test_watchdog_resume();
    return child;
}

/* Reads slowly: the child fills the buffers in between. */
static void expect_much(int fd) {
    static char block[4096];
    size_t all = 0;
    while (all < MUCH + 1) {
        ssize_t n = read(fd, block, sizeof block);
        ASSERT_GT(n, 0);
        all += (size_t)n;
        sched_yield();
    }
    ASSERT_EQ(all, MUCH + 1);
}

static void expect_standard(const int in[2], const int out[2]) {
    int status;
    standard_in = &in[0];
    standard_out = &out[1];
    ASSERT_EQ(write(in[1], "x", 1), 1);
    pid_t child = start_child();
    expect_much(out[0]);
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    ASSERT(!is_nonblocking(in[0]));
    ASSERT(!is_nonblocking(out[1]));
}

TEST(standard_pipes) {
    int in[2];
    int out[2];
    net_pipe(in);
    net_pipe(out);
    expect_standard(in, out);
}

/* Both are the same file, as they are in a shell. */
TEST(standard_terminal) {
    int fd[2];
    net_terminal(fd);
    int both[2] = {fd[1], fd[0]};
    expect_standard(fd, both);
}

TEST(standard_socket) {
    int fd[2];
    net_socketpair(fd);
    int both[2] = {fd[1], fd[0]};
    expect_standard(fd, both);
}

static void wrap_and_close_standard(int fd) {
    ASSERT_EQ(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    ASSERT_EQ(tuco_fd_close(net_wrap(STDIN_FILENO)), 0);
}

TEST(a_closed_handle_of_a_standard_pipe_leaves_nothing) {
    int fd[2];
    net_pipe(fd);
    // what the library keeps for good is there from now on
    wrap_and_close_standard(fd[0]);
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, ENOMEM);
    wrap_and_close_standard(fd[0]);
    test_fault_expect_balance();
    test_fault_clear();
    ASSERT(!net_is_open(STDIN_FILENO));
}
