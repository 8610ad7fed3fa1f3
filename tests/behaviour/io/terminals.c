/* SPDX-License-Identifier: MIT */
/* Proves: goroutines wait for a terminal as for a connection: for a line in canonical
   mode, for each byte in raw mode, with deadlines, and for the close of the other
   side. */
#include "net.h"

static tuco_wg wg;

static void hear_line(void *f) {
    char line[64];
    ASSERT_EQ(tuco_fd_read(f, line, sizeof line), strlen("a line\n"));
    ASSERT_EQ(memcmp(line, "a line\n", strlen("a line\n")), 0);
}

/* In this mode a read returns whole lines only. */
static void set_line_mode(tuco_fd *terminal) {
    struct termios settings;
    ASSERT_EQ(tcgetattr(tuco_fd_raw(terminal), &settings), 0);
    settings.c_lflag |= ICANON;
    ASSERT_EQ(tcsetattr(tuco_fd_raw(terminal), TCSANOW, &settings), 0);
}

static void lines(void) {
    struct net_pair p = net_open(net_terminal);
    set_line_mode(p.in);
    ASSERT_EQ(tuco_wg_go(&wg, hear_line, p.in), 0);
    test_await_waiting(1);
    net_say(p.out, "a li");
    test_await_waiting(1);
    net_say(p.out, "ne\n");
    tuco_wg_wait(&wg);
    net_close(&p);
}

static void hear_byte(void *f) {
    net_hear(f, "x");
}

static void bytes(void) {
    struct net_pair p = net_open(net_terminal);
    ASSERT_EQ(tuco_wg_go(&wg, hear_byte, p.in), 0);
    test_await_waiting(1);
    net_say(p.out, "x");
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_wg_go(&wg, hear_byte, p.out), 0); // what the program prints
    test_await_waiting(1);
    net_say(p.in, "x");
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_set_read_deadline(p.in, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_read_deadline(p.in, TUCO_NEVER), 0);
    net_expect_working(&p);
    net_close(&p);
}

/* Linux returns either, depending on how far the hang-up has come. */
static void expect_hung_up(void *f) {
    ASSERT_AMONG(tuco_fd_read(f, &(char){0}, 1), 0, -EIO);
}

static void expect_input_error(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -EIO);
}

static void ends(void) {
    struct net_pair p = net_open(net_terminal);
    ASSERT_EQ(tuco_wg_go(&wg, expect_hung_up, p.in), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_write(p.in, "x", 1), -EIO);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    p = net_open(net_terminal);
    ASSERT_EQ(tuco_wg_go(&wg, expect_input_error, p.out), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
}

static int run_main(void *arg) {
    (void)arg;
    lines();
    bytes();
    ends();
    return 0;
}

TEST(terminals) {
    RUN(run_main);
}
