/* SPDX-License-Identifier: MIT */
/* Exhaustive search: all runs of a scenario with few deviations from the plain one. */
#ifndef SIM_EXPLORE_H
#define SIM_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

/* True between sim_search() and the end of the run, if this run is a search. */
bool sim_exploring(void);

enum sim_deviation {
    SIM_DEVIATE_TURN = 't',  /* the thread whose turn it is goes behind the others */
    SIM_DEVIATE_STORE = 's', /* a store is seen late */
};

/* A point at which the run can deviate. Returns twice if there is budget left: first
   true, in a process of its own that goes on to the end of its run, and then, when all
   runs from there on have been seen, false. */
bool sim_explore_deviates(enum sim_deviation deviation);

/* The calling thread accesses p. */
void sim_explore_touch(const void *p, bool writes);

/* False: as far as is known only one thread uses p, or all only read it; what happens
   there commutes with all steps of others. */
bool sim_explore_shared(const void *p);

/* The steps that this process has made itself. */
uint64_t sim_explore_steps(void);

/* Reads a list as sim_explore_print() prints it, to repeat one run of a search. False: it
   is none. */
bool sim_explore_replay(const char *list);
void sim_explore_print(void);

#endif
