/* SPDX-License-Identifier: MIT */
/* Handles of descriptors, and the other ends of their lines: every byte is to arrive once,
   and none too late. */
#ifndef SIM_SCENARIOS_LINES_H
#define SIM_SCENARIOS_LINES_H

#include "os_fd.h"
#include "scenario.h"

#include <errno.h>

#define LINES_MAX 32

/* How many bytes a line carries in a run, at most. */
#define LINE_BYTES_MAX 64

struct line {
    struct sim_line *far;
    tuco_fd *fd;
    int first;         /* what the first byte is: lines have different ones */
    int fed;           /* bytes that were put in, */
    int got;           /* and that have arrived */
    uint64_t seen;     /* which */
    int64_t fed_ns;    /* when the last was put in, or the end was */
    int64_t closed_ns; /* when it was about to be closed; SIM_NEVER: it was not */
};

extern struct line lines[LINES_MAX];

/* A handle of the descriptor, of one kind or another. */
tuco_fd *line_handle(int number);

/* A handle of a new descriptor; and of one that the kernel does not tell the readiness
   of. */
void line_open(struct line *l);
void line_open_untold(struct line *l);

/* Puts the next byte in. */
void line_feed(struct line *l);

/* The other end is closed. */
void line_hang_up(struct line *l);

/* Reads one byte or more: 1, 0 at the end, or an error. -ECANCELED and -EBADF are right
   only if it was about to be closed. */
int line_read(struct line *l);
int line_read_one(struct line *l);

/* Closes it, with the caller's reference. */
void line_close(struct line *l);

/* All that was put in has arrived; and the kernel has closed it. */
void line_check(const struct line *l);

/* What began then should be over, if time does not jump. It may take longer beside
   goroutines that compute. */
void lines_check_time(int64_t since_ns);
extern int64_t lines_late_ns;

/* A moment, most often so short that others are still under way: for threads, and for
   goroutines. */
void lines_pause(void);
void lines_wait(void);

/* The argument of a goroutine, or thread, for the line of that number; and back. */
#define LINE_ARG(i)  ((void *)(intptr_t)(i))
#define LINE_OF(arg) (&lines[(intptr_t)(arg)])

/* How many bytes each line is to carry, where that is the same for all. */
extern int line_rounds;

/* Opens the first so many lines. */
void lines_open(int count);
void lines_check(int count);

/* Bytes that have arrived, over all lines, for sim_await(). */
extern int lines_got;

/* A thread sleeps until *what is at least value: bytes that have arrived, or what else is
   told by lines_tell(). */
void lines_await(const int *what, int value);
void lines_tell(void);

#endif
