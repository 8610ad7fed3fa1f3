/* SPDX-License-Identifier: MIT */
/* The ways to end the process: broken invariant, runtime bug, or misuse by the
   program. */
#ifndef RT_BASE_DIE_H
#define RT_BASE_DIE_H

#include "base/compiler.h"
#include <stdbool.h>

/* The exit status when the runtime ends the process; the same as Go's. */
#define RT_EXIT_STATUS 2

/* A bug in the runtime. Prints "fatal error: runtime: ..." and the caller's traceback. */
_Noreturn RT_COLD void rt_throw(const char *format, ...) RT_PRINTF(1, 2);

/* The program broke a rule and cannot continue. Prints "fatal error: ...". */
_Noreturn RT_COLD void rt_fatal(const char *format, ...) RT_PRINTF(1, 2);

/* The program misused an object. Prints "panic: ...", as Go does where a program could
   recover. */
_Noreturn RT_COLD void rt_panic(const char *format, ...) RT_PRINTF(1, 2);

/* Checked in every build. */
#define rt_check(condition)                                                      \
    do {                                                                         \
        if (unlikely(!(condition))) {                                            \
            rt_throw("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

/* Checked in debug and sanitizer builds; in others the compiler only parses it. */
#define rt_assert(condition)             \
    do {                                 \
        if (RT_CHECKS) {                 \
            rt_check(condition);         \
        } else {                         \
            (void)sizeof(!!(condition)); \
        }                                \
    } while (0)

/* Prints to standard error, unbuffered and without allocating, so that a fault handler
   can use it. */
void rt_print(const char *format, ...) RT_PRINTF(1, 2);

/* The same to fd. Cuts lines at 1 KiB. */
void rt_print_to(int fd, const char *format, ...) RT_PRINTF(2, 3);

/* rt_throw(), rt_fatal() and rt_panic() call this after the message. It prints the
   current goroutine and its traceback, beginning at return address skip_until (NULL: the
   innermost frame); whole includes the library's own frames. Written once, before any
   goroutine exists. NULL: no report. */
RT_EXTERN void (*rt_die_report)(const void *skip_until, bool whole);

/* TUCODEBUG=crash=1: the process ends by SIGABRT. Written once, as rt_die_report is. */
RT_EXTERN bool rt_die_crashes;

/* Has fn called before a report ends the process, once before the streams are flushed and
   again after it. Permanent; for one fn. The dying thread may hold any lock, may be in a
   signal handler, and other threads still run: fn may try a lock, but never wait for one
   without a limit. The second call may be on another thread, and during the first. */
void rt_die_watch(void (*fn)(void));

/* Returns only in the first thread that calls it, so that one report is printed. */
void rt_die_begin(void);

/* Ends the process after a report. First calls what rt_die_watch() was given, then flushes
   the program's stdio streams, for at most two seconds. */
_Noreturn RT_COLD void rt_die_end(void);

#endif
