/* SPDX-License-Identifier: MIT */
/* The ways to stop, never mixed: a broken invariant, a bug of the runtime, a mistake of
   the program. */
#ifndef RT_BASE_DIE_H
#define RT_BASE_DIE_H

#include "base/compiler.h"

/* The status that a process ends with when the runtime ends it. Go's. */
#define RT_EXIT_STATUS 2

/* A bug in the runtime. Prints "fatal error: runtime: ..." and the caller's traceback. */
_Noreturn RT_COLD void rt_throw(const char *format, ...) RT_PRINTF(1, 2);

/* The program broke a rule that makes going on impossible. Prints "fatal error: ...". */
_Noreturn RT_COLD void rt_fatal(const char *format, ...) RT_PRINTF(1, 2);

/* The program misused an object. Prints "panic: ...", as Go does for what it lets a
   program recover from. */
_Noreturn RT_COLD void rt_panic(const char *format, ...) RT_PRINTF(1, 2);

/* Checked in every build. */
#define rt_check(condition)                                                      \
    do {                                                                         \
        if (unlikely(!(condition))) {                                            \
            rt_throw("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

/* Checked in debug and sanitizer builds; compiled, but not run, in the others. */
#define rt_assert(condition)             \
    do {                                 \
        if (RT_CHECKS) {                 \
            rt_check(condition);         \
        } else {                         \
            (void)sizeof(!!(condition)); \
        }                                \
    } while (0)

/* Prints to standard error, unbuffered and without allocating: usable in a signal
   handler's last moments. */
void rt_print(const char *format, ...) RT_PRINTF(1, 2);

/* The same to a file descriptor. Longer lines than 1 KiB are cut. */
void rt_print_to(int fd, const char *format, ...) RT_PRINTF(2, 3);

/* Called by the three functions above after the message, to say which goroutine it was.
   The scheduler sets it once, before any goroutine exists; NULL: nothing is said. */
extern void (*rt_die_report)(void);

/* Returns in the first thread that gets here and in no other: only one report is
   printed. */
void rt_die_begin(void);

#endif
