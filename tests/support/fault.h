/* SPDX-License-Identifier: MIT */
/* fault.h: makes chosen calls of src/os/os.h fail, and counts them. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include "os/fault.h"

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

#endif
