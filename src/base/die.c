/* SPDX-License-Identifier: MIT */
/* Ends the process with one complete report, even if several threads die at once. */
#include "base/die.h"
#include "base/atomic.h"
#include "os/os.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 1024
#define STDERR     2

/* The limit on flushing stdio buffers: a parked goroutine may hold a stream's lock
   forever, or the reader of a pipe may not read. */
#define FLUSH_NS ((int64_t)2 * 1000 * 1000 * 1000)

void (*rt_die_report)(const void *skip_until, bool whole);
bool rt_die_crashes;

/* Atomic: 1 once a thread reports. */
static rt_atomic(uint32_t) dying;

/* Atomic: written by rt_die_watch(). */
typedef void watcher_fn(void);
static rt_atomic(watcher_fn *) watcher;

/* This thread only: it has called rt_die_begin(). */
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

void rt_die_watch(void (*fn)(void)) {
    rt_store_rlx(&watcher, fn); /* relaxed: what fn reads is under a lock */
}

/* Not again from within: if the watcher fails, its report ends the process. */
static void call_watcher(void) {
    static __thread bool calling;
    watcher_fn *fn = rt_load_rlx(&watcher); /* relaxed: as in rt_die_watch() */
    if (fn != NULL && !calling) {
        calling = true;
        fn();
        calling = false;
    }
}

/* Also called when the report itself or the flush fails. */
static _Noreturn void end_now(void) {
    call_watcher();
    if (rt_die_crashes) {
        os_abort();
    }
    os_exit(RT_EXIT_STATUS);
}

void rt_die_end(void) {
    call_watcher(); /* before the flush, which writes to files that the watcher repairs */
    os_streams_flush(FLUSH_NS, end_now);
    end_now();
}

void rt_die_begin(void) {
    if (dying_here) {
        /* The report itself failed. Do not print any more. */
        end_now();
    }
    dying_here = true;
    /* relaxed: it publishes nothing; only the thread that swaps out 0 reports */
    if (rt_swap_rlx(&dying, 1) != 0) {
        for (;;) {
            /* Never woken: the reporting thread ends the process. */
            os_futex_wait(&dying, 1, OS_NEVER);
        }
    }
}

/* whole: the traceback includes the library's own frames. */
static _Noreturn void die(const char *kind, bool whole, const char *format,
                          va_list args) {
    rt_die_begin();
    rt_print("%s", kind);
    print_list(STDERR, format, args);
    rt_print("\n");
    if (rt_die_report != NULL) {
        rt_die_report(NULL, whole);
    }
    rt_die_end();
}

void rt_throw(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("fatal error: runtime: ", true, format, args);
}

void rt_fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("fatal error: ", false, format, args);
}

void rt_panic(const char *format, ...) {
    va_list args;
    va_start(args, format);
    die("panic: ", false, format, args);
}
