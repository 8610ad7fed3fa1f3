/* SPDX-License-Identifier: MIT */
/* scenario.h: a small program that uses all of the runtime, to be run with injected
   faults. */
#ifndef TEST_SCENARIO_H
#define TEST_SCENARIO_H

/* Runs goroutines that spawn, block, defer and use their stacks, once under tuco_run()
   and once under tuco_start(). Every call must succeed or return -ENOMEM or -EAGAIN, a
   start also -EPERM, and every goroutine that started must end. Afterwards the process
   must have the same number of threads and descriptors and the same signal handlers as
   before, and if faults are planned, all memory allocated and reserved must be free. */
void test_scenario(void);

#endif
