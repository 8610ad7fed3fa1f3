/* SPDX-License-Identifier: MIT */
/* support.h: what the files of tests/support share among themselves; tests include
   test.h. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include "test.h"

/* Exit statuses of a test's process. 77 is the value that automake and ctest call
   "skipped". */
enum { TEST_EXIT_OK = 0, TEST_EXIT_FAIL = 1, TEST_EXIT_USAGE = 2, TEST_EXIT_SKIP = 77 };

/* The test that this process runs; set by the runner. */
extern const char *test_current_name;

/* The seconds a test may take; the command line and TUCO_TEST_TIMEOUT are already in
   it. */
extern double test_limit_seconds;

/* Starts watching this process: after so many seconds it is reported with all its
   goroutines and aborted. See watchdog.c. */
void test_watchdog_start(double seconds);

/* Takes the watching thread away before a fork, and gives the parent one with the same
   deadline. */
void test_watchdog_pause(void);
void test_watchdog_resume(void);

#endif
