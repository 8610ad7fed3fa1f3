/* SPDX-License-Identifier: MIT */
/* Proves: a wait for urgent data or a hang-up returns -EPERM if epoll does not support
   the file, whatever the deadline. For other files it returns -ETIMEDOUT after the
   deadline. The check leaves no descriptor behind; if it cannot open one, a wait with a
   past deadline returns -ETIMEDOUT. */
#include "net.h"
#include "fault.h"

#include <poll.h>

static const int urgent[] = {POLLPRI, POLLRDHUP, POLLPRI | POLLRDHUP};

static void expect(int fd, tuco_time deadline, int result) {
    int before = test_count_fds();
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_fd_wait(fd, urgent[i], deadline), result);
    }
    ASSERT_EQ(test_count_fds(), before);
}

static void expect_refusal(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    expect(fd, TUCO_NEVER, -EPERM);
    expect(fd, tuco_deadline(TUCO_HOUR), -EPERM);
    expect(fd, tuco_now(), -EPERM);
    expect(fd, 0, -EPERM);
    expect(fd, INT64_MIN, -EPERM);
    close(fd);
}

static void refuse_files(void) {
    expect_refusal("/proc/self/exe");
    expect_refusal("/");
    expect_refusal("/dev/null");
}

/* The socket is ready to read and write, like a file that epoll does not support. */
static void expect_timeout(void) {
    int fds[2];
    net_socketpair(fds);
    ASSERT_EQ(write(fds[1], "x", 1), 1);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN | POLLOUT, 0), POLLIN | POLLOUT);
    expect(fds[0], 0, -ETIMEDOUT);
    close(fds[1]);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLRDHUP, 0), POLLRDHUP | POLLHUP);
    close(fds[0]);
}

static int run_main(void *arg) {
    (void)arg;
    refuse_files();
    expect_timeout();
    return 0;
}

TEST(with_a_runtime) {
    RUN(run_main);
}

TEST(without_a_runtime) {
    refuse_files();
    expect_timeout();
}

TEST(without_a_descriptor) {
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    test_fault_plan(OS_FAULT_FD_WATCHER, 1, TEST_FAULT_ALWAYS, EMFILE);
    expect(fd, 0, -ETIMEDOUT);
    expect(fd, TUCO_NEVER, -EMFILE);
    test_fault_clear();
    expect(fd, 0, -EPERM);
    close(fd);
}

/* An idle socket cannot be read, so it needs no check whether epoll supports it. */
TEST(an_idle_socket_needs_no_descriptor) {
    int fds[2];
    net_socketpair(fds);
    test_fault_plan(OS_FAULT_FD_WATCHER, 1, TEST_FAULT_ALWAYS, EMFILE);
    test_fault_plan(OS_FAULT_FD_READY, 0, 0, 0); // none fails: they are counted
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, 0), -ETIMEDOUT);
    ASSERT_EQ(test_fault_calls(OS_FAULT_FD_READY), 1);
    expect(fds[0], 0, -ETIMEDOUT);
    ASSERT_EQ(test_fault_calls(OS_FAULT_FD_WATCHER), 0);
    test_fault_clear();
    close(fds[0]);
    close(fds[1]);
}
