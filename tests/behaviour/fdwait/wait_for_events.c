/* SPDX-License-Identifier: MIT */
/* Proves: tuco_fd_wait() waits for each requested event and returns those that are there,
   and errors and a hang-up even if they were not requested. */
#include "loopback.h"
#include "waiting.h"

#include <poll.h>

static int fds[2];
static int events;
static int result;

static void make_connection(void) {
    tuco_fd *l = lo_listen("tcp", "127.0.0.1:0");
    tuco_fd *ends[2];
    lo_connect("tcp", l, ends);
    for (int i = 0; i < 2; i++) {
        fds[i] = dup(tuco_fd_raw(ends[i]));
        ASSERT_GE(fds[i], 0);
        lo_close(ends[i]);
    }
    lo_close(l);
}

static void wait_now(void *arg) {
    (void)arg;
    result = tuco_fd_wait(fds[0], events, TUCO_NEVER);
    ASSERT_GT(result, 0);
}

/* A goroutine waits for these events, and then happen() causes them. */
static int wait_while(int its_events, void (*happen)(void)) {
    tuco_wg wg = {0};
    events = its_events;
    ASSERT_EQ(tuco_fd_wait(fds[0], events, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_wg_go(&wg, wait_now, NULL), 0);
    test_await_waiting("IO wait", 1);
    happen();
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_wait(fds[0], events, 0), result);
    return result;
}

static void send_byte(void) {
    ASSERT_EQ(send(fds[1], "x", 1, 0), 1);
}

static void send_urgently(void) {
    ASSERT_EQ(send(fds[1], "x", 1, MSG_OOB), 1);
}

static void finish_sending(void) {
    ASSERT_EQ(shutdown(fds[1], SHUT_WR), 0);
}

static void take_all(void) {
    char bytes[4096];
    while (recv(fds[1], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static void reset(void) {
    struct linger at_once = {.l_onoff = 1};
    ASSERT_EQ(setsockopt(fds[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    ASSERT_EQ(close(fds[1]), 0);
}

static void fill(void) {
    static const char bytes[4096];
    while (send(fds[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static int run_main(void *arg) {
    (void)arg;
    make_connection();
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN | POLLOUT, 0), POLLOUT);
    ASSERT_EQ(wait_while(POLLIN, send_byte), POLLIN);
    ASSERT_EQ(wait_while(POLLPRI, send_urgently), POLLPRI);
    ASSERT_EQ(wait_while(POLLRDHUP, finish_sending), POLLRDHUP);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN | POLLOUT | POLLPRI | POLLRDHUP, INT64_MIN),
              POLLIN | POLLOUT | POLLPRI | POLLRDHUP);
    close(fds[0]);
    close(fds[1]);
    make_connection();
    fill();
    ASSERT_EQ(wait_while(POLLOUT, take_all), POLLOUT);
    int after_reset = wait_while(POLLPRI, reset);
    ASSERT_EQ(after_reset & (POLLERR | POLLHUP), POLLERR | POLLHUP);
    close(fds[0]);
    return 0;
}

TEST(for_events) {
    RUN(run_main);
}
