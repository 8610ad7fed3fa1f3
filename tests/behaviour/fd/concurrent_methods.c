/* SPDX-License-Identifier: MIT */
/* Proves: all operations on a connection may run at the same time, and the connection
   still works afterwards (NP-26). */
#include "net.h"

#define ROUNDS TEST_SIZE(100, 30)

static tuco_wg wg;
static struct net_pair p;

static void hear(void *arg) {
    (void)arg;
    char bytes[1024];
    ssize_t n = tuco_fd_read(p.out, bytes, sizeof bytes);
    ASSERT_GT(n == -ETIMEDOUT ? 1 : n, 0);
}

static void say(void *arg) {
    (void)arg;
    char bytes[1024] = {0};
    ssize_t n = tuco_fd_write(p.out, bytes, sizeof bytes);
    ASSERT_AMONG(n, sizeof bytes, -ETIMEDOUT);
}

static void set_deadline(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_set_deadline(p.out, tuco_deadline(TUCO_MILLISECOND)), 0);
}

static void set_read_deadline(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_set_read_deadline(p.out, tuco_deadline(TUCO_MILLISECOND)), 0);
}

static void set_write_deadline(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_set_write_deadline(p.out, tuco_deadline(TUCO_MILLISECOND)), 0);
}

static void ask_local(void *arg) {
    char text[64];
    (void)arg;
    ASSERT_EQ(tuco_local_address(p.out, text, sizeof text), 0);
    ASSERT_HAS(text, "127.0.0.1:");
}

static void ask_remote(void *arg) {
    char text[64];
    (void)arg;
    ASSERT_EQ(tuco_remote_address(p.out, text, sizeof text), 0);
    ASSERT_HAS(text, "127.0.0.1:");
}

/* Sends back what it gets, until there is no more. */
static void echo(void *arg) {
    char bytes[4096];
    ssize_t n;
    (void)arg;
    while ((n = tuco_fd_read(p.in, bytes, sizeof bytes)) > 0) {
        ASSERT_EQ(tuco_fd_write(p.in, bytes, (size_t)n), n);
    }
    ASSERT_EQ(n, 0);
}

/* Bytes that were sent before arrive first, and none of them is '!'. */
static void expect_echo(void) {
    char bytes[4096];
    ssize_t n = 0;
    ASSERT_EQ(tuco_fd_set_deadline(p.out, TUCO_NEVER), 0);
    net_say(p.out, "Hello, world!");
    do {
        n = tuco_fd_read(p.out, bytes, sizeof bytes);
        ASSERT_GT(n, 0);
    } while (bytes[n - 1] != '!');
}

static int run_main(void *arg) {
    static tuco_fn *const acts[] = {
        hear,      say,       set_deadline, set_read_deadline, set_write_deadline,
        ask_local, ask_remote};
    tuco_wg echoing = {0};
    (void)arg;
    p = net_open(net_tcp);
    ASSERT_EQ(tuco_wg_go(&echoing, echo, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 7; k++) {
            ASSERT_EQ(tuco_wg_go(&wg, acts[k], NULL), 0);
        }
    }
    tuco_wg_wait(&wg);
    expect_echo();
    ASSERT_EQ(tuco_fd_shutdown(p.out, SHUT_WR), 0);
    tuco_wg_wait(&echoing);
    net_close(&p);
    return 0;
}

TEST(concurrent_methods) {
    RUN(run_main);
}
