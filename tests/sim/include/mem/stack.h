/* SPDX-License-Identifier: MIT */
/* Wraps src/mem/stack.h in the simulation: checks that no thread is on a stack that is
   freed. */
#ifndef SIM_STACK_H
#define SIM_STACK_H

#include_next "mem/stack.h"

/* See oracle.c. */
void sim_oracle_stack_back(const struct rt_stack *s);

#define rt_stack_put(c, s) (sim_oracle_stack_back(s), rt_stack_put(c, s))

#endif
