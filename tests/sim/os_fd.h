/* SPDX-License-Identifier: MIT */
/* The simulated kernel's descriptors, seen from the other end of the line. */
#ifndef SIM_OS_FD_H
#define SIM_OS_FD_H

#include <stdbool.h>
#include <stdint.h>

/* How many bytes a line holds in each direction. */
#define SIM_LINE_BYTES 8

/* A connection. One end, or both, is a descriptor of the program; else the other end is the
   scenario's, from whichever thread. Lines are not used again, numbers are: at once. */
struct sim_line;

/* Each of these is a step. */

/* The number of the descriptor is stored. */
struct sim_line *sim_line_open(int *number);

/* The kernel does not tell when it is ready: who reads it sleeps there. */
struct sim_line *sim_line_open_untold(int *number);

/* Both ends are descriptors. */
struct sim_line *sim_line_pair(int numbers[2]);

/* The scenario's end. Returns how many bytes there was room for, or how many there were. */
int sim_line_feed(struct sim_line *l, const void *bytes, int count);
int sim_line_drain(struct sim_line *l, void *bytes, int most);

/* The scenario's end is closed. */
void sim_line_hang_up(struct sim_line *l);

/* These are none. */

/* The descriptor has been closed. */
bool sim_line_is_closed(const struct sim_line *l);

/* Since when the kernel has had something to tell, and nobody has asked; SIM_NEVER: it has
   nothing. */
int64_t sim_poll_untold_since(void);

/* The thread, or if NULL any, sleeps in the kernel until descriptors are ready. */
struct sim_thread;
bool sim_poll_sleeps(const struct sim_thread *t);

#endif
