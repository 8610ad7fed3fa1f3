/* SPDX-License-Identifier: MIT */
/* Proves: between two waits the number may be closed and stand for another file, while
   the first file is still open elsewhere. Each wait is for the file that has the number
   at the time. */
#include "loopback.h"
#include "waiting.h"

#include <poll.h>

#define ROUNDS TEST_SIZE(100, 20)

static int number;

static void wait_now(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_wait(number, POLLIN, TUCO_NEVER), POLLIN);
}

static void wait_while_written(int fd) {
    tuco_wg wg = {0};
    ASSERT_EQ(tuco_wg_go(&wg, wait_now, NULL), 0);
    test_await_waiting("IO wait", 1);
    ASSERT_EQ(write(fd, "x", 1), 1);
    tuco_wg_wait(&wg);
}

static int run_main(void *arg) {
    (void)arg;
    number = dup(0);
    for (int i = 0; i < ROUNDS; i++) {
        int old[2];
        int new[2];
        ASSERT_EQ(pipe(old), 0);
        ASSERT_EQ(dup2(old[0], number), number);
        wait_while_written(old[1]);
        ASSERT_EQ(pipe(new), 0);
        ASSERT_EQ(dup2(new[0], number), number);
        ASSERT_EQ(write(old[1], "y", 1), 1); // must have no effect
        ASSERT_EQ(tuco_fd_wait(number, POLLIN, 0), -ETIMEDOUT);
        wait_while_written(new[1]);
        for (int k = 0; k < 2; k++) {
            ASSERT_EQ(close(old[k]), 0);
            ASSERT_EQ(close(new[k]), 0);
        }
    }
    ASSERT_EQ(close(number), 0);
    return 0;
}

TEST(number_is_reused) {
    int before = test_count_fds();
    RUN(run_main);
    ASSERT_EQ(test_count_fds(), before);
}
