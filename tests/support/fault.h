/* SPDX-License-Identifier: MIT */
/* fault.h: injects failures into chosen calls of src/os/os.h, and counts them. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include "os/fault.h"
#include <stdatomic.h>
#include <stdbool.h>

/* For times: a fault that does not go away. */
#define TEST_FAULT_ALWAYS (1 << 30)

/* Makes times calls of that kind fail with error, a positive errno value, beginning with
   the first-th call, counted from 1. Resets the counts. Replaces an earlier plan for the
   kind; other kinds keep theirs. Only while the runtime is not running. */
void test_fault_plan(enum os_fault_kind kind, int first, int times, int error);

/* Removes all plans. Only while the runtime is not running. */
void test_fault_clear(void);

/* The number of calls of that kind since its plan was made. */
int test_fault_calls(enum os_fault_kind kind);

/* A hook by which no memory can be reserved while test_fault_denying is not 0. The test
   sets os_fault_hook before it starts the runtime, and the word at any time. */
extern atomic_int test_fault_denying;
int test_fault_deny_reserve(enum os_fault_kind kind);

/* The name of a kind in src/os/faults.def, and its usual error. */
const char *test_fault_name(enum os_fault_kind kind);
int test_fault_usual_error(enum os_fault_kind kind);

/* Requires that all memory allocated and reserved since the first plan has been freed.
   Only while the runtime is not running, and not after test_fault_clear(). */
void test_fault_expect_balance(void);

/* ---- For every test program, from the environment ---- */

/* TEST_FAULT=KIND:CALL[:TIMES[:ERROR]] makes call number CALL and the TIMES - 1 calls
   after it fail; TIMES is 1 by default. CALL 0 only counts, TIMES 0 fails forever. Calls
   are counted over the test and all its child processes. Returns false, after a message,
   if the value is malformed. */
bool test_fault_from_environment(void);

/* At the end of a test's process: requires that the runtime, if it has stopped, has freed
   all memory. */
void test_fault_finish(void);

/* At the end of the program: if TEST_FAULT is set, prints a line to standard output for
   each kind that was called. */
void test_fault_print(void);

#endif
