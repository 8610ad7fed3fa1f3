/* SPDX-License-Identifier: MIT */
/* Proves: a report that ends the process first clears O_NONBLOCK of the files that handles
   share with other processes, so that these, and the process's own buffered output, go on
   as before. */
/* not under tsan */
#include "net.h"
#include "reports.h"

#include <signal.h>
#include <sys/resource.h>

#define MUCH (4 * (size_t)NET_BUFFER_BYTES)

static struct test_child child;
static int shared;
static int (*report_main)(void *);

static bool shared_is_nonblocking(void) {
    int flags = fcntl(shared, F_GETFL);
    ASSERT_GE(flags, 0);
    return (flags & O_NONBLOCK) != 0;
}

static int wrap_and_die(void *arg) {
    net_wrap(shared); /* open until the process ends */
    ASSERT(shared_is_nonblocking());
    return report_main(arg);
}

static void run_it(void *arg) {
    struct rlimit none = {0, 0}; /* writes no core here */
    ASSERT_EQ(setrlimit(RLIMIT_CORE, &none), 0);
    tuco_run(wrap_and_die, arg);
}

static void expect_blocking_after(int (*main_fn)(void *), const char *text) {
    int fd[2];
    net_socketpair(fd);
    shared = fd[0];
    report_main = main_fn;
    test_child_run(&child, run_it, NULL);
    ASSERT_HAS(child.text, text);
    ASSERT(!shared_is_nonblocking());
    ASSERT_EQ(close(fd[0]), 0);
    ASSERT_EQ(close(fd[1]), 0);
}

TEST(after_misuse) {
    expect_blocking_after(report_misuse_main, "panic: close of nil channel");
    EXPECT_STATUS(&child, 2);
}

TEST(after_a_deadlock) {
    expect_blocking_after(report_deadlock_main, "all goroutines are asleep");
    EXPECT_STATUS(&child, 2);
}

/* The report runs in a signal handler. */
TEST(after_a_stack_overflow) {
    expect_blocking_after(report_overflow_main, "fatal error: stack overflow");
    EXPECT_STATUS(&child, 2);
}

TEST(after_an_abort) {
    test_setenv("TUCODEBUG", "crash=1");
    expect_blocking_after(report_misuse_main, "panic: close of nil channel");
    ASSERT_EQ(child.signal, SIGABRT);
}

/* Standard output has the same file, and more in its buffer than the socket holds. */
static int print_and_die(void *arg) {
    static char buffer[2 * MUCH];
    ASSERT_EQ(dup2(shared, STDOUT_FILENO), STDOUT_FILENO);
    ASSERT_EQ(setvbuf(stdout, buffer, _IOFBF, sizeof buffer), 0);
    for (size_t i = 0; i < MUCH; i++) {
        putchar('x');
    }
    return report_misuse_main(arg);
}

static void read_much(void *arg) {
    static char block[4096];
    const int *fd = arg;
    for (size_t all = 0; all < MUCH;) {
        ssize_t n = read(*fd, block, sizeof block);
        ASSERT_GT(n, 0);
        all += (size_t)n;
    }
}

TEST(before_the_output_is_flushed) {
    struct test_thread reader;
    int fd[2];
    net_socketpair(fd);
    shared = fd[0];
    report_main = print_and_die;
    test_thread_start(&reader, read_much, &fd[1]);
    test_child_run(&child, run_it, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_EQ(shutdown(fd[0], SHUT_WR), 0); /* the reader fails instead of waiting */
    test_thread_join(&reader);
}
