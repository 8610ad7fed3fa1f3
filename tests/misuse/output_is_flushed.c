/* SPDX-License-Identifier: MIT */
/* Proves: buffered output of a program is written before a report ends it, and a stream
   that cannot be written does not keep it from ending. */
/* not under tsan */
#include "reports.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define LARGE_BYTES ((size_t)1 << 20)

static struct test_child child;

/* Both streams go to the pipe that the test reads, fully buffered. */
static FILE *begin_output(void) {
    static char buffers[2][4096];
    FILE *own = fdopen(dup(STDERR_FILENO), "w");
    ASSERT(own != NULL);
    ASSERT_EQ(dup2(STDERR_FILENO, STDOUT_FILENO), STDOUT_FILENO);
    ASSERT_EQ(setvbuf(stdout, buffers[0], _IOFBF, sizeof buffers[0]), 0);
    ASSERT_EQ(setvbuf(own, buffers[1], _IOFBF, sizeof buffers[1]), 0);
    printf("to stdout");
    fprintf(own, "to another");
    return own;
}

static int print_and_call(void *main_fn) {
    begin_output();
    return (*(int (**)(void *))main_fn)(NULL);
}

static void run_printing(void *main_fn) {
    tuco_run(print_and_call, main_fn);
}

static void expect_output(int (*main_fn)(void *)) {
    test_child_run(&child, run_printing, &main_fn);
    EXPECT_STATUS(&child, 2);
    ASSERT_EQ(test_occurrences(child.text, "to stdout"), 1);
    ASSERT_EQ(test_occurrences(child.text, "to another"), 1);
}

TEST(output_is_flushed) {
    expect_output(report_misuse_main);
    expect_output(report_deadlock_main);
    expect_output(report_overflow_main);
}

static atomic_bool locked;

static void *lock_and_wait(void *own) {
    flockfile(own);
    atomic_store(&locked, true);
    while (atomic_load(&locked)) {
        pause();
    }
    return NULL;
}

/* Another thread waits with a stream locked. */
static int locked_main(void *arg) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, NULL, lock_and_wait, begin_output()), 0);
    while (!atomic_load(&locked)) {
        tuco_yield();
    }
    return report_misuse_main(arg);
}

static void run_locked(void *arg) {
    tuco_run(locked_main, arg);
}

TEST(locked_stream) {
    test_child_run(&child, run_locked, NULL);
    EXPECT_STATUS(&child, 2);
    ASSERT_HAS(child.text, "panic: close of nil channel");
    ASSERT_HAS(child.text, "to stdout");
}

/* Standard output is a full pipe without a reader. */
static int full_main(void *arg) {
    static char buffer[LARGE_BYTES];
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    ASSERT_EQ(setvbuf(stdout, buffer, _IOFBF, sizeof buffer), 0);
    for (size_t i = 0; i < LARGE_BYTES / 2; i++) {
        putchar('x');
    }
    return report_misuse_main(arg);
}

TEST(full_pipe) {
    RUN_DIES(full_main, "panic: close of nil channel");
}
