/* SPDX-License-Identifier: MIT */
/* What must hold whenever no thread of the runtime can go on. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

/* Fails the run if a goroutine could run. For sim.on_all_asleep. */
void sim_oracle_all_asleep(void);

#endif
