/* SPDX-License-Identifier: MIT */
/* Ends the process with one whole report, whoever else is dying at the same time. */
#include "base/die.h"
#include "base/atomic.h"
#include "os/os.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 1024
#define STDERR     2

void (*rt_die_report)(void);

static rt_atomic(uint32_t) dying;
static __thread bool dying_here;

static void print_list(int fd, const char *format, va_list args) {
    char line[LINE_BYTES];
    int n = vsnprintf(line, sizeof line, format, args);
    if (n > 0) {
        os_write(fd, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
    }
}

void rt_print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_list(STDERR, format, args);
    va_end(args);
}

void rt_print_to(int fd, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_list(fd, format, args);
    va_end(args);
}

void rt_die_begin(void) {
    if (dying_here) {
        /* The report itself failed: what is out is out. */
        os_exit(RT_EXIT_STATUS);
    }
    dying_here = true;
    /* acq_rel: only who finds 0 prints. Pairs with itself in other dying threads. */
    if (rt_swap_acqrel(&dying, 1) != 0) {
        for (;;) {
            /* Nobody wakes this: the reporting thread ends the process. */
            os_futex_wait(&dying, 1, OS_NEVER);
        }
    }
}

static _Noreturn void die(const char *kind, const char *format, va_list args) {
    rt_die_begin();
    rt_print("%s", kind);
    print_list(STDERR, format, args);
    rt_print("\n");
    if (rt_die_report != NULL) {
        rt_die_report();
    }
    os_exit(RT_EXIT_STATUS);
}

void rt_throw(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("fatal error: runtime: ", format, args);
}

void rt_fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("fatal error: ", format, args);
}

void rt_panic(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("panic: ", format, args);
}
