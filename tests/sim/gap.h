/* SPDX-License-Identifier: MIT */
/* Gaps: work is queued and a P is idle while no thread looks for the work. The essay is in
   gap.c. */
#ifndef SIM_GAP_H
#define SIM_GAP_H

#include <stdint.h>

struct sim_site;

/* spans[i] counts gaps of up to 2^i - 1 steps, the last element also all longer ones. */
#define SIM_GAP_SPANS 12

/* Statistics of a run; all gaps were within their bounds. One thread of the system. */
struct sim_gap_tally {
    uint64_t spans[SIM_GAP_SPANS];
    uint64_t longest;         /* in steps */
    uint64_t longest_percent; /* of the bound for its number of Ps */
    uint64_t lone;            /* lone goroutines that sysmon left at a tick */
    uint64_t lone_passed;     /* and at the next tick too */
};

extern struct sim_gap_tally sim_gap_tally;

/* For sim.on_write: memory at p has changed. */
void sim_gap_written(const void *p, const struct sim_site *site);

/* For sim.on_store: the running thread has made a store, which may still be buffered. */
void sim_gap_stored(const void *p);

/* For sim.on_step: the running thread begins a step. */
void sim_gap_step(void);

/* For sim.on_sleep: the running thread is about to sleep or to exit. */
void sim_gap_sleep(void);

#endif
