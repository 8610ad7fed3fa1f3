/* SPDX-License-Identifier: MIT */
/* Proves: a file that can always be read and written is ready, and a wait for its other
   events fails. Closed descriptors and invalid events are refused, errno is kept, and
   without a runtime no call waits. */
/* not under race */
#include "loopback.h"
#include "waiting.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static void expect_always_ready(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN, TUCO_NEVER), POLLIN);
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN | POLLOUT, 0), POLLIN | POLLOUT);
    ASSERT_EQ(tuco_fd_wait(fd, POLLPRI, TUCO_NEVER), -EPERM);
    ASSERT_EQ(tuco_fd_wait(fd, POLLRDHUP, TUCO_NEVER), -EPERM);
    close(fd);
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN, TUCO_NEVER), -EBADF);
}

static void expect_refused(int fd) {
    static const int wrong[] = {0,  POLLERR, POLLHUP, POLLNVAL, POLLIN | POLLRDNORM,
                                -1, 1 << 16};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ASSERT_EQ(tuco_fd_wait(fd, wrong[i], TUCO_NEVER), -EINVAL);
    }
}

static int inner;
static tuco_wg writer;

static void set_ready(void *arg) {
    (void)arg;
    test_await_waiting("IO wait", 1);
    ASSERT_EQ(eventfd_write(inner, 1), 0);
    tuco_wg_done(&writer);
}

/* An epoll set is a descriptor too. The set may be ready before the write has returned,
   and a descriptor must not be closed inside another goroutine's call. */
static void expect_sets_work(void) {
    struct epoll_event event = {.events = EPOLLIN};
    inner = eventfd(0, 0);
    int set = epoll_create1(0);
    ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, inner, &event), 0);
    tuco_wg_add(&writer, 1);
    ASSERT_EQ(tuco_go(set_ready, NULL), 0);
    ASSERT_EQ(tuco_fd_wait(set, POLLIN, TUCO_NEVER), POLLIN);
    tuco_wg_wait(&writer);
    close(set);
    close(inner);
}

static int run_main(void *arg) {
    (void)arg;
    errno = 1234;
    expect_always_ready("/proc/self/exe");
    errno = 1234;
    expect_refused(0);
    expect_refused(-1);
    ASSERT_EQ(tuco_fd_wait(-1, POLLIN, TUCO_NEVER), -EBADF);
    ASSERT_EQ(tuco_fd_wait(0x7fff, POLLIN, TUCO_NEVER), -EBADF);
    ASSERT_EQ(errno, 1234);
    expect_sets_work();
    return 0;
}

TEST(any_file) {
    RUN(run_main);
}

TEST(without_a_runtime) {
    int fd = eventfd(0, EFD_NONBLOCK);
    int before = test_count_fds();
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN | POLLOUT, TUCO_NEVER), POLLOUT);
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN, TUCO_NEVER), -ESRCH);
    ASSERT_EQ(tuco_fd_wait(fd, POLLIN, tuco_now()), -ETIMEDOUT);
    ASSERT_EQ(test_count_fds(), before);
    close(fd);
}
