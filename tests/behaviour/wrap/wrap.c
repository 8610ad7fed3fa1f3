/* SPDX-License-Identifier: MIT */
/* Proves: tuco_fd_wrap() makes a descriptor non-blocking if epoll supports it; on error it
   returns the cause, leaves *out unchanged, and the descriptor stays the caller's. */
#include "net.h"
#include "fault.h"

#include <sys/resource.h>

static bool is_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    ASSERT_GE(flags, 0);
    return (flags & O_NONBLOCK) != 0;
}

TEST(made_nonblocking) {
    net_kind *kinds[] = {net_tcp, net_udp, net_socketpair, net_pipe, net_terminal};
    for (int i = 0; i < 5; i++) {
        int fd[2];
        kinds[i](fd);
        ASSERT(!is_nonblocking(fd[0]));
        tuco_fd *f = net_wrap(fd[0]);
        ASSERT_EQ(tuco_fd_raw(f), fd[0]);
        ASSERT(is_nonblocking(fd[0]));
        ASSERT_EQ(tuco_fd_close(f), 0);
        ASSERT(!net_is_open(fd[0]));
        ASSERT_EQ(close(fd[1]), 0);
    }
}

TEST(not_a_descriptor) {
    tuco_fd *const unchanged = (tuco_fd *)&unchanged;
    tuco_fd *f = unchanged;
    int fd[2];
    net_pipe(fd);
    ASSERT_EQ(close(fd[0]), 0);
    ASSERT_EQ(close(fd[1]), 0);
    ASSERT_EQ(tuco_fd_wrap(-1, &f), -EBADF);
    ASSERT_EQ(tuco_fd_wrap(INT32_MAX, &f), -EBADF);
    ASSERT_EQ(tuco_fd_wrap(fd[0], &f), -EBADF);
    ASSERT(f == unchanged);
}

/* Each allocation and each query of the kernel fails in turn. */
static void fail_each(enum os_fault_kind kind, int fd) {
    tuco_fd *f = NULL;
    int call = 0;
    while (f == NULL) {
        test_fault_plan(kind, ++call, 1, test_fault_usual_error(kind));
        int error = tuco_fd_wrap(fd, &f);
        ASSERT_EQ(error, f != NULL ? 0 : -test_fault_usual_error(kind));
        ASSERT(f != NULL || (net_is_open(fd) && !is_nonblocking(fd)));
    }
    ASSERT_GT(call, 1);                                  // at least one failed
    test_fault_plan(kind, TEST_FAULT_ALWAYS, 1, ENOMEM); // fails none
    ASSERT_EQ(tuco_fd_close(f), 0);
}

TEST(without_memory) {
    int fd[2];
    net_pipe(fd);
    fail_each(OS_FAULT_ALLOC, fd[0]);
    fail_each(OS_FAULT_FD_LEARN, fd[1]);
}

/* The query about a device needs a descriptor, and none is left. */
TEST(without_descriptors) {
    struct rlimit limit;
    tuco_fd *f;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd[2];
    net_terminal(fd);
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)fd[0] + 1;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_EQ(tuco_fd_wrap(null, &f), -EMFILE);
    ASSERT_EQ(tuco_fd_wrap(fd[0], &f), -EMFILE);
    ASSERT(net_is_open(null) && !is_nonblocking(null));
    ASSERT(net_is_open(fd[0]) && !is_nonblocking(fd[0]));
    limit.rlim_cur = before;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    tuco_fd_unref(net_wrap(null));
    tuco_fd_unref(net_wrap(fd[0]));
    ASSERT_EQ(close(fd[1]), 0);
}
