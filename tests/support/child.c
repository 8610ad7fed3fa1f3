/* SPDX-License-Identifier: MIT */
/* child.c: runs a function in a child process and captures its standard error. */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child must report its own hang before the test that waits for it is reported. */
#define CHILD_SHARE_OF_LIMIT 0.5

_Noreturn static void run_in_child(int error_fd, tuco_fn *fn, void *arg) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(error_fd, STDERR_FILENO);
    close(error_fd);
    test_watchdog_start(test_limit_seconds * CHILD_SHARE_OF_LIMIT);
    fn(arg);
    test_watchdog_pause(); // as in runner.c
    exit(TEST_EXIT_OK);
}

/* Reads to the end. Discards what does not fit, so that the child never blocks on a full
   pipe. */
static void read_all(int fd, struct test_child *child) {
    char rest[4096];
    for (;;) {
        size_t room = TEST_TEXT_MAX - 1 - child->size;
        char *at = room > 0 ? child->text + child->size : rest;
        ssize_t n = read(fd, at, room > 0 ? room : sizeof(rest));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        child->size += room > 0 ? (size_t)n : 0;
    }
    child->text[child->size] = '\0';
}

static void reap(pid_t pid, struct test_child *child) {
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        ASSERT_EQ(errno, EINTR);
    }
    child->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void test_child_run(struct test_child *child, tuco_fn *fn, void *arg) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    fflush(NULL);
    test_watchdog_pause();
    pid_t pid = fork();
    ASSERT_NE(pid, -1);
    if (pid == 0) {
        close(ends[0]);
        run_in_child(ends[1], fn, arg);
    }
    close(ends[1]);
    child->size = 0;
    read_all(ends[0], child);
    close(ends[0]);
    reap(pid, child);
    test_watchdog_resume(); // until here the child's own watchdog ran
}

void test_expect_status(const char *file, int line, const struct test_child *child,
                        int status) {
    if (child->status != status) {
        dprintf(STDERR_FILENO, "%s\n", child->text);
        test_fail(file, line, "exit status %d, signal %d, text above; wanted %d",
                  child->status, child->signal, status);
    }
}

void test_expect_death(const char *file, int line, tuco_fn *fn, void *arg,
                       const char *text) {
    static struct test_child child;
    test_child_run(&child, fn, arg);
    test_expect_status(file, line, &child, 2);
    test_check_has(file, line, child.text, text, true /* wanted */);
}

struct run_call {
    int (*main_fn)(void *);
};

static void run_as_main(void *arg) {
    struct run_call *call = arg;
    int rc = tuco_run(call->main_fn, NULL);
    fprintf(stderr, "tuco_run() returned %d\n", rc);
}

void test_expect_run_death(const char *file, int line, int (*main_fn)(void *),
                           const char *text) {
    struct run_call call = {main_fn};
    test_expect_death(file, line, run_as_main, &call, text);
}

void test_setenv(const char *name, const char *value) {
    int rc = value != NULL ? setenv(name, value, 1 /* overwrite */) : unsetenv(name);
    ASSERT_EQ(rc, 0);
}
