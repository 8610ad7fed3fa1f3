/* SPDX-License-Identifier: MIT */
/* Proves: with TUCODEBUG=crash=1 a report ends the process by SIGABRT, which can write a
   core. */
/* not under asan */
/* not under tsan */
#include "reports.h"
#include "test.h"

#include <signal.h>
#include <sys/resource.h>

static struct test_child child;

static void run_it(void *arg) {
    struct rlimit none = {0, 0}; /* writes no core here */
    ASSERT_EQ(setrlimit(RLIMIT_CORE, &none), 0);
    tuco_run(*(int (**)(void *))arg, NULL);
}

static void expect_abort(int (*main_fn)(void *), const char *text) {
    test_setenv("TUCODEBUG", "crash=1");
    test_child_run(&child, run_it, &main_fn);
    ASSERT_EQ(child.signal, SIGABRT);
    ASSERT_HAS(child.text, text);
    test_setenv("TUCODEBUG", "crash=0");
    test_child_run(&child, run_it, &main_fn);
    EXPECT_STATUS(&child, 2);
}

TEST(crash_aborts) {
    expect_abort(report_misuse_main, "panic: close of nil channel");
    expect_abort(report_deadlock_main, "all goroutines are asleep");
    expect_abort(report_overflow_main, "fatal error: stack overflow");
}
