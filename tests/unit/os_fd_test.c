/* SPDX-License-Identifier: MIT */
/* Proves: descriptors are classified, errno is kept, and a write without a reader returns
   -EPIPE without a signal, on new and old kernels. */
#include "fault.h"
#include "test.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void expect_traits(int fd, enum os_fd_kind kind, bool pollable) {
    struct os_fd_traits traits;
    ASSERT_GE(fd, 0);
    ASSERT_EQ(os_fd_learn(fd, &traits), 0);
    ASSERT_EQ(traits.kind, kind);
    ASSERT_EQ(traits.pollable, pollable);
    close(fd);
    ASSERT_EQ(os_fd_learn(fd, &traits), -EBADF);
}

TEST(kinds) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    expect_traits(ends[0], OS_FD_PIPE, true);
    expect_traits(ends[1], OS_FD_PIPE, true);
    expect_traits(socket(AF_INET, SOCK_STREAM, 0), OS_FD_STREAM, true);
    expect_traits(socket(AF_INET, SOCK_DGRAM, 0), OS_FD_MESSAGES, true);
    expect_traits(socket(AF_UNIX, SOCK_SEQPACKET, 0), OS_FD_MESSAGES, true);
    expect_traits(eventfd(0, 0), OS_FD_OTHER, true);
    expect_traits(open("/dev/null", O_RDWR), OS_FD_OTHER, false);
    expect_traits(open("/proc/self/exe", O_RDONLY), OS_FD_OTHER, false);
    expect_traits(open("/", O_RDONLY | O_DIRECTORY), OS_FD_OTHER, false);
}

TEST(non_blocking) {
    int ends[2];
    struct os_fd_flag flag;
    char byte;
    ASSERT_EQ(pipe(ends), 0);
    errno = 1234;
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(os_fd_make_nonblocking(ends[0], &flag), i);
        ASSERT_EQ(os_fd_read(ends[0], OS_FD_PIPE, &byte, 1), -EAGAIN);
    }
    ASSERT_EQ(errno, 1234);
    ASSERT_EQ(fcntl(ends[0], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    os_fd_make_blocking(&flag);
    ASSERT_EQ(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
    ASSERT_EQ(os_fd_close(ends[0]), 0);
    ASSERT_EQ(os_fd_close(ends[0]), -EBADF);
    ASSERT_EQ(os_fd_make_nonblocking(ends[0], &flag), -EBADF);
    ASSERT_EQ(errno, 1234);
}

/* The default action of SIGPIPE would end the process. */
static void expect_broken(int fd, enum os_fd_kind kind) {
    struct iovec iov[2] = {{"ab", 2}, {"c", 1}};
    errno = 1234;
    for (int i = 0; i < 20; i++) {
        ASSERT_EQ(os_fd_write(fd, kind, "x", 1), -EPIPE);
        ASSERT_EQ(os_fd_writev(fd, kind, iov, 2), -EPIPE);
    }
    ASSERT_EQ(errno, 1234);
}

static void expect_no_signal(void) {
    int ends[2];
    ASSERT(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(os_fd_write(ends[1], OS_FD_PIPE, "x", 1), 1);
    close(ends[0]);
    expect_broken(ends[1], OS_FD_PIPE);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    close(ends[0]);
    expect_broken(ends[1], OS_FD_STREAM);
    ASSERT_EQ(os_fd_sendto(ends[1], "x", 1, NULL, 0), -EPIPE);
}

static bool pipe_signal_pending(void) {
    sigset_t pending;
    ASSERT_EQ(sigpending(&pending), 0);
    return sigismember(&pending, SIGPIPE) == 1;
}

/* A program that blocks SIGPIPE keeps what was pending before, and gets no other. */
static void expect_pending_stays(void) {
    int ends[2];
    sigset_t set;
    sigset_t after;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    expect_broken(ends[1], OS_FD_PIPE);
    ASSERT(!pipe_signal_pending());
    ASSERT_EQ(raise(SIGPIPE), 0);
    expect_broken(ends[1], OS_FD_PIPE);
    ASSERT(pipe_signal_pending());
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    ASSERT_EQ(sigismember(&after, SIGPIPE), 1);
}

TEST(broken_pipe_is_no_signal) {
    expect_no_signal();
}

TEST(pending_signal_stays) {
    expect_pending_stays();
}

TEST(broken_pipe_on_old_kernels) {
    test_fault_plan(OS_FAULT_FD_QUIET, 1, TEST_FAULT_ALWAYS, EOPNOTSUPP);
    expect_no_signal();
    ASSERT_EQ(test_fault_calls(OS_FAULT_FD_QUIET), 1);
}

TEST(pending_signal_on_old_kernels) {
    test_fault_plan(OS_FAULT_FD_QUIET, 1, TEST_FAULT_ALWAYS, EOPNOTSUPP);
    expect_pending_stays();
}
