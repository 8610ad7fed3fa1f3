/* SPDX-License-Identifier: MIT */
/* Exhaustive search: all runs of a scenario with few deviations from the plain run. */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

/* True between sim_search() and the end of the run, if this run is a search. */
bool sim_exploring(void);

enum sim_deviation {
    SIM_DEVIATE_TURN = 't',  /* the running thread goes behind all others */
    SIM_DEVIATE_STORE = 's', /* a store becomes visible late */
};

/* A point at which the run can deviate. If there is budget left it returns twice: first
   true, in a child process that continues to the end of its run; then false, after all
   runs from there have finished. */
bool sim_explore_deviates(enum sim_deviation deviation);

/* Records that the calling thread accesses p. */
void sim_explore_touch(const void *p, bool writes);

/* False: as far as is known only one thread uses p, or all threads only read it, so
   accesses to p commute with all steps of other threads. */
bool sim_explore_shared(const void *p);

/* The number of steps that this process has made itself. */
uint64_t sim_explore_steps(void);

/* Parses a list printed by sim_explore_print(), to repeat one run of a search. Returns
   false if it is malformed. */
bool sim_explore_replay(const char *list);
void sim_explore_print(void);

#endif
