/* SPDX-License-Identifier: MIT */
/* not under tsan */
/* Proves: each call to the kernel and each allocation may fail, one after the other: an
   error is returned or the program goes on, nothing hangs, nothing leaks, and the next
   start works. */
#include "fault.h"
#include "scenario.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CALLS_MAX 2000 /* more than the scenario makes of any kind */

struct fault {
    enum os_fault_kind kind;
    int error;
    int call;
};

static void run_with_fault(void *arg) {
    struct fault *fault = arg;
    test_fault_plan(fault->kind, fault->call, 1, fault->error);
    test_scenario();
    bool reached = test_fault_calls(fault->kind) >= fault->call;
    test_fault_clear();
    test_scenario();
    fprintf(stderr, reached ? "reached\n" : "not reached\n");
}

static void fail_each(enum os_fault_kind kind, int error) {
    static struct test_child child;
    for (int call = 1; call < CALLS_MAX; call += 1 + call / 16) {
        struct fault fault = {kind, error, call};
        test_child_run(&child, run_with_fault, &fault);
        EXPECT_STATUS(&child, 0);
        if (strstr(child.text, "not reached") != NULL) {
            ASSERT_GT(call, 1); // at least one was made, or this proves nothing
            return;
        }
    }
    ASSERT(!"the scenario makes too many calls to try them all");
}

TEST(thread_start) {
    fail_each(OS_FAULT_THREAD, EAGAIN);
}

TEST(reserve) {
    fail_each(OS_FAULT_RESERVE, ENOMEM);
}

TEST(guard) {
    fail_each(OS_FAULT_GUARD, ENOMEM);
}

TEST(alloc) {
    fail_each(OS_FAULT_ALLOC, ENOMEM);
}
