/* SPDX-License-Identifier: MIT */
/* Proves: a wait for a descriptor ends at its deadline and not before, unless its event
   occurs. An event that is there is returned even after the deadline. When event and
   deadline race, no event is lost and nothing is left behind. */
#include "loopback.h"

#include <poll.h>
#include <sys/resource.h>

#define RACES TEST_SIZE(300, 60)

static int fds[2];

static int deadlines_main(void *arg) {
    (void)arg;
    static const tuco_time past[] = {0, 1, -1, INT64_MIN};
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, past[i]), -ETIMEDOUT);
        ASSERT_EQ(tuco_fd_wait(fds[0], POLLOUT, past[i]), POLLOUT);
    }
    for (int ms = 0; ms < 10; ms++) {
        tuco_time deadline = tuco_deadline(ms * TUCO_MILLISECOND);
        ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, deadline), -ETIMEDOUT);
        ASSERT_GE(tuco_now(), deadline);
    }
    return 0;
}

static void write_byte(void *arg) {
    tuco_sleep_until(*(tuco_time *)arg); // the same moment: this race is tested
    ASSERT_EQ(write(fds[1], "x", 1), 1);
}

static int race_main(void *arg) {
    (void)arg;
    for (int i = 0; i < RACES; i++) {
        char byte;
        tuco_wg wg = {0};
        tuco_time deadline = tuco_deadline((20 + i % 60) * TUCO_MICROSECOND);
        ASSERT_EQ(tuco_wg_go(&wg, write_byte, &deadline), 0);
        int rc = tuco_fd_wait(fds[0], POLLIN, deadline);
        if (rc != -ETIMEDOUT) {
            ASSERT_EQ(rc, POLLIN);
        }
        ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, TUCO_NEVER), POLLIN);
        tuco_wg_wait(&wg);
        ASSERT_EQ(read(fds[0], &byte, 1), 1);
    }
    return 0;
}

static void expect_clean(int (*main_fn)(void *)) {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    int before = test_count_fds();
    RUN(main_fn);
    ASSERT_EQ(test_count_fds(), before);
}

/* A wait that returns at once opens no descriptor. */
static int look_main(void *arg) {
    (void)arg;
    struct rlimit before;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = {3, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, 0), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, tuco_now()), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_wait(fds[0], POLLIN, TUCO_NEVER), -EMFILE);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    return 0;
}

TEST(looks) {
    expect_clean(look_main);
}

TEST(deadlines) {
    expect_clean(deadlines_main);
}

TEST(ready_against_deadline) {
    expect_clean(race_main);
}
