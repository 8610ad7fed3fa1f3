/* SPDX-License-Identifier: MIT */
/* Two that wake each other in turn, goroutines or threads, through wait groups. */
#ifndef SIM_SCENARIOS_PAIRS_H
#define SIM_SCENARIOS_PAIRS_H

#define PAIRS_MAX  16
#define ROUNDS_MAX 16

/* How many have come to their end. */
extern int pairs_ended;

void pairs_prepare(int pairs, int rounds);

/* The two of a pair, whose number is the argument. */
void pairs_ping(void *pair);
void pairs_pong(void *pair);

#endif
