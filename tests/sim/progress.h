/* SPDX-License-Identifier: MIT */
/* How far the runs are, on standard error: on a terminal one line that is rewritten every
   second, elsewhere a line a minute. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>

/* Nothing is due within the first second, or minute, after this call. */
void sim_progress_begin(double now_seconds);

/* Returns true if it is time for a line. */
bool sim_progress_due(double now_seconds);

/* Writes the line. On a terminal it replaces the one before. */
__attribute__((format(printf, 1, 2))) void sim_progress_write(const char *format, ...);

/* Removes the line from the terminal, before anything else is written. It may be that of
   another process. */
void sim_progress_clear(void);

#endif
