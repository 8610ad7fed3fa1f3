/* SPDX-License-Identifier: MIT */
/* Invariants that hold at every moment of every scenario. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include <stdint.h>

/* Fails the run if a goroutine could run. For sim.on_all_asleep. */
void sim_oracle_all_asleep(void);

/* Fails the run if a goroutine is queued and a P idle. Called when every thread sleeps
   except those that compute: so the thread that should match the two sleeps. */
void sim_oracle_others_asleep(void);

/* Fails the run if the thread that yields its turn is on a goroutine stack that another
   thread is on too, or has a P that another thread has, or whose P was retaken. For
   sim.on_turn. */
void sim_oracle_turn(void);

/* Fails the run if the thread enqueues a goroutine on a P that it does not own. For
   sim.on_store. */
void sim_oracle_store(const void *p, uint64_t value);

#endif
