/* SPDX-License-Identifier: MIT */
/* What must hold at every moment, whatever the scenario does. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdint.h>

/* Fails the run if a goroutine could run. For sim.on_all_asleep. */
void sim_oracle_all_asleep(void);

/* Fails the run if a goroutine is queued and a P idle. For when every thread sleeps but
   those that compute: whoever has to bring the two together is one that sleeps. */
void sim_oracle_others_asleep(void);

/* Fails the run if the thread that gives its turn away is on the stack of a goroutine
   that another one is on too, or has a P that another one has, or that was taken from it.
   For sim.on_turn. */
void sim_oracle_turn(void);

/* Fails the run if the thread puts a goroutine into the queue of a P that it does not have.
   For sim.on_store. */
void sim_oracle_store(const void *p, uint64_t value);

#endif
