/* SPDX-License-Identifier: MIT */
/* support.h: shared by the files of tests/support; tests include test.h. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include "test.h"

/* Exit statuses of a test's process. automake and ctest take 77 for "skipped". */
enum { TEST_EXIT_OK = 0, TEST_EXIT_FAIL = 1, TEST_EXIT_USAGE = 2, TEST_EXIT_SKIP = 77 };

/* The name of the test that this process runs; set by the runner. */
extern const char *test_current_name;

/* The time limit of a test in seconds; includes the command line and TUCO_TEST_TIMEOUT. */
extern double test_limit_seconds;

/* Starts the watchdog of this process: after so many seconds it dumps all goroutines and
   aborts. See watchdog.c. */
void test_watchdog_start(double seconds);

/* pause ends the watchdog thread before a fork; resume starts it again in the parent, with
   the same deadline. */
void test_watchdog_pause(void);
void test_watchdog_resume(void);

#endif
