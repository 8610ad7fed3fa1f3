/* SPDX-License-Identifier: MIT */
/* Reads a file of any length line by line, in memory of a fixed size. */
#ifndef RT_CPU_LINES_H
#define RT_CPU_LINES_H

#include "base/compiler.h"
#include "cpu/text.h"

/* Used by its owner only. Initialized as {.file, .buffer, .bytes}, the rest zero. */
struct rt_lines {
    int file;      /* from os_file_open(); the owner closes it */
    char *buffer;  /* the owner's */
    size_t bytes;  /* size of buffer, at least 1 */
    size_t start;  /* unread bytes begin here */
    size_t end;    /* and end here */
    bool skipping; /* the rest of an overlong line must be skipped */
};

/* The text stays valid until the next call of rt_lines_next(). */
struct rt_line {
    struct rt_text text; /* without the newline */
    bool whole;          /* false: truncated to the buffer, or a last line without a
                            newline */
};

/* Returns 1, 0 at the end of the file, or the error of a read. */
int rt_lines_next(struct rt_lines *l, struct rt_line *line) RT_NODISCARD;

#endif
