/* SPDX-License-Identifier: MIT */
/* fault.h: makes chosen calls of src/os/os.h fail, and counts them. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include "os/fault.h"
#include <stdbool.h>

/* As many as there are, for a fault that does not go away. */
#define TEST_FAULT_ALWAYS (1 << 30)

/* From the first-th call of that kind on, counted from 1, so many calls fail with a
   positive errno value. Counts start again. A plan for a kind replaces the one before;
   other kinds keep theirs. Only while the runtime is not running. */
void test_fault_plan(enum os_fault_kind kind, int first, int times, int error);

/* Lets all calls through again. Only while the runtime is not running. */
void test_fault_clear(void);

/* How many calls of that kind there have been since its plan was made. */
int test_fault_calls(enum os_fault_kind kind);

/* The name of a kind in src/os/faults.def, and the error it mostly fails with. */
const char *test_fault_name(enum os_fault_kind kind);
int test_fault_usual_error(enum os_fault_kind kind);

/* Requires that what was allocated and reserved since the first plan was made has been
   given back. Only while the runtime is not running, and not after test_fault_clear(). */
void test_fault_expect_balance(void);

/* ---- For every program, by the environment ---- */

/* TEST_FAULT=KIND:CALL[:TIMES[:ERROR]] makes CALL and the TIMES - 1 after it fail, once
   unless told; CALL 0 only counts, TIMES 0 is for ever. The calls are counted over the
   test and all its child processes. Returns false, with a message, if it is not that. */
bool test_fault_from_environment(void);

/* At the end of a test's process: what the runtime took has to be back, if it has
   ended. */
void test_fault_finish(void);

/* At the end of the program: a line on standard output for each kind that was asked for,
   if TEST_FAULT is set. */
void test_fault_print(void);

#endif
