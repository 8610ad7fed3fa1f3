/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that reads through a null pointer ends the process by SIGSEGV, as
   in any program; the fault is not reported as an overflow of its stack. */
/* A sanitizer reports the fault itself. */
/* not under asan */
/* not under ubsan */
/* not under tsan */
#include "test.h"

#include <signal.h>

static int *volatile nowhere;
static struct test_child child;

static int fault_main(void *arg) {
    (void)arg;
    return *(volatile int *)nowhere;
}

static void run_it(void *arg) {
    (void)arg;
    tuco_run(fault_main, NULL);
}

TEST(segfault_is_no_overflow) {
    test_child_run(&child, run_it, NULL);
    ASSERT_EQ(child.signal, SIGSEGV);
    ASSERT_STR(child.text, "");
}
