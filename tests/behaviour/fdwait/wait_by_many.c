/* SPDX-License-Identifier: MIT */
/* Proves: goroutines and threads wait for one descriptor at the same time, for the same
   events and for different ones, beside an epoll set of the program. Each returns when
   its event occurs, and nothing is left behind. */
#include "loopback.h"
#include "waiting.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#define READERS 8
#define ROUNDS  TEST_SIZE(20, 5)
#define CROWD   600 // more than the kernel has room for

static int fds[2];
static int others;
static atomic_int readers;
static atomic_int writers;

static void wait_to_read(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, TUCO_NEVER), POLLIN);
    atomic_fetch_add(&readers, 1);
}

static void wait_to_write(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLOUT, TUCO_NEVER), POLLOUT);
    atomic_fetch_add(&writers, 1);
}

static void fill(void) {
    static const char bytes[4096];
    while (send(fds[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static void drain(int fd) {
    char bytes[4096];
    while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static void one_round(void) {
    tuco_wg wg = {0};
    struct test_thread thread;
    struct epoll_event event;
    atomic_store(&readers, 0);
    atomic_store(&writers, 0);
    fill();
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_to_read, NULL), 0);
    }
    ASSERT_EQ(tuco_wg_go(&wg, wait_to_write, NULL), 0);
    test_await_waiting("IO wait", READERS + 1);
    test_thread_start(&thread, wait_to_read, NULL);
    drain(fds[1]);
    test_await(&writers, 1);
    ASSERT_EQ(atomic_load(&readers), 0);
    ASSERT_EQ(send(fds[1], "x", 1, 0), 1);
    tuco_wg_wait(&wg);
    test_thread_join(&thread);
    ASSERT_EQ(atomic_load(&readers), READERS + 1);
    ASSERT_EQ(epoll_wait(others, &event, 1, 0), 1);
    drain(fds[0]);
}

static int run_main(void *arg) {
    (void)arg;
    struct epoll_event event = {.events = EPOLLIN};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    others = epoll_create1(0);
    ASSERT_EQ(epoll_ctl(others, EPOLL_CTL_ADD, fds[0], &event), 0);
    for (int i = 0; i < ROUNDS; i++) {
        one_round();
    }
    ASSERT_EQ(fcntl(fds[0], F_GETFL) & O_NONBLOCK, 0);
    close(others);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

TEST(by_many) {
    int before = test_count_fds();
    RUN(run_main);
    ASSERT_EQ(test_count_fds(), before);
}

static atomic_int refused;

static void wait_or_be_refused(void *arg) {
    (void)arg;
    int rc = tuco_fd_wait(fds[0], POLLIN, TUCO_NEVER);
    if (rc == -ENOSPC) {
        atomic_fetch_add(&refused, 1);
        return;
    }
    ASSERT_EQ(rc, POLLIN);
}

static int crowd_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    for (int i = 0; i < CROWD; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, wait_or_be_refused, NULL), 0);
        tuco_yield();
    }
    ASSERT_EQ(send(fds[1], "x", 1, 0), 1);
    tuco_wg_wait(&wg);
    ASSERT_LE(atomic_load(&refused), CROWD - 500);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

TEST(by_too_many) {
    int before = test_count_fds();
    RUN(crowd_main);
    ASSERT_EQ(test_count_fds(), before);
}
