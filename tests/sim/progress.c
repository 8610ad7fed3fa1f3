/* SPDX-License-Identifier: MIT */
/* Writes how far the runs are, and decides when. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define TERMINAL_SECONDS 1
#define FILE_SECONDS     60

static const char line_start[] = "\r\033[K"; /* and erase the line */

static bool on_terminal;
static double due_seconds = INFINITY;

static void wait_from(double now_seconds) {
    due_seconds = now_seconds + (on_terminal ? TERMINAL_SECONDS : FILE_SECONDS);
}

void sim_progress_begin(double now_seconds) {
    on_terminal = isatty(STDERR_FILENO) == 1;
    wait_from(now_seconds);
}

bool sim_progress_due(double now_seconds) {
    if (now_seconds < due_seconds) {
        return false;
    }
    wait_from(now_seconds);
    return true;
}

void sim_progress_write(const char *format, ...) {
    char line[160];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "%s%s%s", on_terminal ? line_start : "", line,
            on_terminal ? "" : "\n");
}

void sim_progress_clear(void) {
    if (isatty(STDERR_FILENO) == 1) {
        fputs(line_start, stderr);
    }
}
