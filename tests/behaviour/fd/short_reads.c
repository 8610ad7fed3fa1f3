/* SPDX-License-Identifier: MIT */
/* Proves: after a read that did not fill its buffer, the next read waits for new bytes.
   It misses nothing that arrived with them: the end, a reset, bytes behind urgent data,
   bytes that arrive while no runtime runs, or another message. */
#include "net.h"

static char bytes[100];
static tuco_wg wg;
static struct net_pair p;

static void begin_to_watch(tuco_fd *f) {
    ASSERT_EQ(tuco_fd_set_read_deadline(f, tuco_deadline(1)), 0);
    ASSERT_EQ(tuco_fd_read(f, bytes, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_read_deadline(f, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_fd_read(f, bytes, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_read_deadline(f, TUCO_NEVER), 0);
}

/* Opens a pair that is registered with epoll, or not yet: at the registration epoll
   reports what is already there. */
static struct net_pair open_pair(bool watched) {
    struct net_pair pair = net_open(net_dialed);
    if (watched) {
        begin_to_watch(pair.in);
    }
    return pair;
}

/* If the handle is registered, epoll reports all that has arrived before the first read,
   and nothing after it. Otherwise it reports only after the first read. */
static void let_poller_tell(bool watched) {
    if (watched) {
        tuco_sleep(5 * TUCO_MILLISECOND);
    }
}

static void hear_short(tuco_fd *f, ssize_t n) {
    ASSERT_EQ(tuco_fd_read(f, bytes, sizeof bytes), n);
}

static void end_comes_along(bool watched) {
    p = open_pair(watched);
    net_say(p.out, "xy");
    ASSERT_EQ(tuco_fd_shutdown(p.out, SHUT_WR), 0);
    let_poller_tell(watched);
    hear_short(p.in, 2);
    hear_short(p.in, 0);
    hear_short(p.in, 0);
    net_close(&p);
}

static void reset_comes_along(bool watched) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    p = open_pair(watched);
    net_say(p.out, "xy");
    ASSERT_EQ(
        setsockopt(tuco_fd_raw(p.out), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once),
        0);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    let_poller_tell(watched);
    hear_short(p.in, 2);
    hear_short(p.in, -ECONNRESET);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
}

/* A read stops at the urgent byte, which is left out. */
static void urgent_byte_between(bool watched) {
    p = open_pair(watched);
    ASSERT_EQ(send(tuco_fd_raw(p.out), "ab", 2, 0), 2);
    ASSERT_EQ(send(tuco_fd_raw(p.out), "!", 1, MSG_OOB), 1);
    ASSERT_EQ(send(tuco_fd_raw(p.out), "cd", 2, 0), 2);
    let_poller_tell(watched);
    hear_short(p.in, 2);
    hear_short(p.in, 2);
    ASSERT_EQ(bytes[0], 'c');
    net_close(&p);
}

static void hear_two(void *arg) {
    (void)arg;
    hear_short(p.in, 2);
}

static void waits_for_what_is_new(bool watched) {
    struct iovec iov = {.iov_base = bytes, .iov_len = sizeof bytes};
    p = open_pair(watched);
    for (int i = 0; i < 3; i++) {
        net_say(p.out, "x");
        hear_short(p.in, 1);
        ASSERT_EQ(tuco_wg_go(&wg, hear_two, NULL), 0);
        test_await_waiting(1);
        net_say(p.out, "xy");
        tuco_wg_wait(&wg);
    }
    net_say(p.out, "xyz");
    ASSERT_EQ(tuco_fd_readv(p.in, &iov, 1), 3);
    net_say(p.out, "xyz"); // it arrives before the next read
    ASSERT_EQ(tuco_fd_recvfrom(p.in, bytes, sizeof bytes, NULL, NULL), 3);
    net_say(p.out, "xyz");
    ASSERT_EQ(tuco_fd_readv(p.in, &iov, 1), 3);
    ASSERT_EQ(tuco_fd_shutdown(p.in, SHUT_RD), 0);
    hear_short(p.in, 0);
    net_close(&p);
}

/* A message is shorter than the buffer although another one follows. */
static void message_behind_message(void) {
    char address[64];
    ASSERT_EQ(tuco_listen("udp4", "127.0.0.1:0", &p.in), 0);
    ASSERT_EQ(tuco_local_address(p.in, address, sizeof address), 0);
    ASSERT_EQ(tuco_dial("udp4", address, TUCO_NEVER, &p.out), 0);
    begin_to_watch(p.in);
    net_say(p.out, "xy");
    net_say(p.out, "xyz");
    let_poller_tell(true);
    hear_short(p.in, 2);
    hear_short(p.in, 3);
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    message_behind_message();
    for (int i = 0; i < 2; i++) {
        waits_for_what_is_new(i == 1);
        end_comes_along(i == 1);
        reset_comes_along(i == 1);
        urgent_byte_between(i == 1);
    }
    return 0;
}

TEST(short_reads) {
    RUN(run_main);
}

static int begin_main(void *arg) {
    (void)arg;
    p = open_pair(true);
    net_say(p.out, "xy");
    hear_short(p.in, 2);
    net_say(p.out, "xyz");
    return 0;
}

static int end_main(void *arg) {
    (void)arg;
    hear_short(p.in, 5);
    net_close(&p);
    return 0;
}

/* Bytes that arrived during a run are read without a runtime, or in the next run. */
TEST(between_runtimes) {
    RUN(begin_main);
    hear_short(p.in, 3);
    ASSERT_EQ(tuco_fd_read(p.in, bytes, sizeof bytes), -ESRCH);
    net_say(p.out, "xy");
    hear_short(p.in, 2);
    net_say(p.out, "xy");
    hear_short(p.in, 2);
    net_say(p.out, "12345");
    RUN(end_main);
}
