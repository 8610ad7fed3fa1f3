/* SPDX-License-Identifier: MIT */
/* The descriptors of the simulated kernel, as the scenario sees them. */
#ifndef SIM_OS_FD_H
#define SIM_OS_FD_H

#include <stdbool.h>
#include <stdint.h>

/* The capacity of a line in each direction. */
#define SIM_LINE_BYTES 8

/* A connection. One end or both ends are descriptors of the program; a scenario uses an
   end that is not, from any thread. Lines are never reused; descriptor numbers are, at
   once. */
struct sim_line;

/* Each of the following is a step. */

/* Stores the descriptor's number. */
struct sim_line *sim_line_open(int *number);

/* The same with a descriptor that cannot be polled: a reader sleeps in the kernel. */
struct sim_line *sim_line_open_untold(int *number);

/* Both ends are descriptors of the program. */
struct sim_line *sim_line_pair(int numbers[2]);

/* The scenario's end. Return how many bytes were accepted, or returned. */
int sim_line_feed(struct sim_line *l, const void *bytes, int count);
int sim_line_drain(struct sim_line *l, void *bytes, int most);

/* Closes the scenario's end. */
void sim_line_hang_up(struct sim_line *l);

/* The following are no steps. */

/* Whether the descriptor has been closed. */
bool sim_line_is_closed(const struct sim_line *l);

/* Since when the kernel has had an event that no thread has fetched; SIM_NEVER: it has
   none. */
int64_t sim_poll_untold_since(void);

/* Whether t, or if t is NULL any thread, sleeps in os_poll_wait(). */
struct sim_thread;
bool sim_poll_sleeps(const struct sim_thread *t);

#endif
