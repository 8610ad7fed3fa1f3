/* SPDX-License-Identifier: MIT */
/* Proves: a child of a running runtime that uses the library after fork() prints a
   message that this is not possible, and ends with exit status 2. */
/* ThreadSanitizer does not support a child of a process with several threads. */
/* not under tsan */
#include "children.h"

/* Without that check the child would wait for ever, and no process would end it. */
#define CHILD_SECONDS 20

static tuco_wg never;
static tuco_chan *empty;

static void use_go(void) {
    tuco_go(test_return_at_once, NULL);
}

static void use_yield(void) {
    for (;;) {
        tuco_yield();
    }
}

static void use_sleep(void) {
    tuco_sleep(TUCO_MILLISECOND);
}

static void use_wait(void) {
    tuco_wg_wait(&never);
}

static void use_channel(void) {
    tuco_chan_recv(empty, NULL);
}

static void (*const uses[])(void) = {use_go, use_yield, use_sleep, use_wait, use_channel};

/* The child's standard error is that of the process whose text the test reads. */
static void fork_and_use(void *arg) {
    pid_t pid = fork();
    if (pid == 0) {
        alarm(CHILD_SECONDS);
        (*(void (**)(void))arg)();
        _exit(0);
    }
    ASSERT_GT(pid, 0);
    expect_exit(pid, 2);
}

static int goroutine_main(void *arg) {
    tuco_wg wg = {0};
    tuco_wg_add(&never, 1);
    empty = tuco_chan_make(0, 0);
    ASSERT_EQ(empty != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_wg_go(&wg, fork_and_use, arg), 0);
    tuco_wg_wait(&wg);
    return 0;
}

static void in_goroutine(void *arg) {
    ASSERT_EQ(tuco_run(goroutine_main, arg), 0);
}

static void in_thread(void *arg) {
    tuco_wg_add(&never, 1);
    empty = tuco_chan_make(0, 0);
    ASSERT_EQ(empty != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_start(), 0);
    fork_and_use(arg);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

static void expect_told(tuco_fn *where, size_t count) {
    static struct test_child child;
    for (size_t i = 0; i < count; i++) {
        test_child_run(&child, where, (void *)&uses[i]);
        EXPECT_STATUS(&child, 0);
        ASSERT_MATCH(child.text, "^tuco: .*fork");
    }
}

TEST(child_of_goroutine) {
    expect_told(in_goroutine, sizeof(uses) / sizeof(uses[0]));
}

/* A foreign thread may yield and sleep in a child, because that needs no runtime. */
TEST(child_of_thread) {
    expect_told(in_thread, 1);
}

/* In the child, a goroutine that returns has no scheduler to return to. */
static void fork_and_return(void *arg) {
    int *ends = arg;
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
        alarm(CHILD_SECONDS);
    } else {
        ASSERT_EQ(write(ends[1], &pid, sizeof(pid)), (ssize_t)sizeof(pid));
    }
}

static int return_main(void *arg) {
    int ends[2];
    pid_t pid;
    (void)arg;
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(tuco_go(fork_and_return, ends), 0);
    tuco_blocking_enter();
    ASSERT_EQ(read(ends[0], &pid, sizeof(pid)), (ssize_t)sizeof(pid));
    tuco_blocking_exit();
    expect_exit(pid, 2);
    return 0;
}

static void run_return(void *arg) {
    ASSERT_EQ(tuco_run(return_main, arg), 0);
}

TEST(child_that_returns) {
    static struct test_child child;
    test_child_run(&child, run_return, NULL);
    EXPECT_STATUS(&child, 0);
    ASSERT_MATCH(child.text, "^tuco: .*fork");
}
