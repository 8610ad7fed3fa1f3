/* SPDX-License-Identifier: MIT */
/* A program on the simulated machine, and what it is written with. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <stdint.h>

struct sim_scenario {
    const char *name;
    const char *summary;
    void (*run)(void); /* on the first simulated thread */
};

extern const struct sim_scenario sim_scenarios[];
extern const int sim_scenarios_count;

/* Any number from low to high, by the seed. */
int sim_pick(int low, int high);

#endif
