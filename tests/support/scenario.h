/* SPDX-License-Identifier: MIT */
/* scenario.h: a small program that uses all of the runtime, to be run with faults in
   it. */
#ifndef TEST_SCENARIO_H
#define TEST_SCENARIO_H

/* Runs goroutines that spawn, block, defer and use their stacks, once under tuco_run()
   and once under tuco_start(). Every call has to succeed or to return -ENOMEM or -EAGAIN,
   to start also -EPERM, and whatever was started has to end. Afterwards there are as many
   threads and descriptors and the same signal handlers as before, and if faults are
   planned, nothing is left of what was allocated and reserved. */
void test_scenario(void);

#endif
