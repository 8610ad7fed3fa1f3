/* SPDX-License-Identifier: MIT */
/* Reads a file of any length line by line, in memory of a fixed size. */
#ifndef RT_CPU_LINES_H
#define RT_CPU_LINES_H

#include "base/compiler.h"
#include "cpu/text.h"

/* The caller's alone. Begins as {.file, .buffer, .bytes}, with the rest zero. */
struct rt_lines {
    int file;      /* of os_file_open(); stays the caller's to close */
    char *buffer;  /* the caller's */
    size_t bytes;  /* its size, at least 1 */
    size_t start;  /* what was read and not handed out yet is from here */
    size_t end;    /* to here */
    bool skipping; /* the rest of a line that was too long is in the way */
};

/* Text stays in the buffer until the next line is asked for. */
struct rt_line {
    struct rt_text text; /* without the newline */
    bool whole;          /* false: only its beginning, as the buffer is not larger, or a
                            last line without a newline */
};

/* Returns 1, 0 at the end of the file, or the error of a read. */
int rt_lines_next(struct rt_lines *l, struct rt_line *line) RT_NODISCARD;

#endif
