/* SPDX-License-Identifier: MIT */
/* arguments.h: numbers on the command lines of the examples. */
#ifndef EXAMPLE_ARGUMENTS_H
#define EXAMPLE_ARGUMENTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <tuco.h>

/* Prints how the program is used, and ends it. */
_Noreturn static inline void arguments_usage(const char *program, const char *usage) {
    fprintf(stderr, "usage: %s %s\n", program, usage);
    exit(2);
}

/* Reads milliseconds, from 1 to a day; anything else ends the program as above. */
static inline tuco_time arguments_ms(const char *text, const char *program,
                                     const char *usage) {
    char *end;
    errno = 0;
    long ms = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || ms < 1 || ms > 24 * 3600 * 1000L) {
        arguments_usage(program, usage);
    }
    return ms * TUCO_MILLISECOND;
}

#endif
