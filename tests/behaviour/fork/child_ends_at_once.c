/* SPDX-License-Identifier: MIT */
/* Proves: a child that a goroutine forked may use its copy of the parent's memory and end
   by _exit(), without effect on the parent. */
/* ThreadSanitizer does not support a child of a process with several threads. */
/* not under tsan */
#include "children.h"

#define CHILDREN 20

static tuco_chan *numbers;
static int secret;

static void count_up(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_chan_send(numbers, &i), 0);
    }
}

static void have_child(int number) {
    secret = number;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(secret + 1);
    }
    ASSERT_GT(pid, 0);
    secret = -1;
    expect_exit(pid, number + 1);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    numbers = tuco_chan_make(sizeof(int), 0);
    ASSERT_EQ(numbers != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_wg_go(&wg, count_up, NULL), 0);
    for (int i = 0; i < CHILDREN; i++) {
        int number = -1;
        ASSERT_EQ(tuco_chan_recv(numbers, &number), 0);
        ASSERT_EQ(number, i);
        have_child(number);
    }
    tuco_wg_wait(&wg);
    tuco_chan_unref(numbers);
    return 0;
}

TEST(child_ends_at_once) {
    int threads = test_count_threads();
    RUN(run_main);
    EXPECT_THREADS(threads);
}
