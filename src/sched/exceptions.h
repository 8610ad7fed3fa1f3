/* SPDX-License-Identifier: MIT */
/* The C++ exception state, which belongs to the goroutine and not to the thread. */
#ifndef RT_SCHED_EXCEPTIONS_H
#define RT_SCHED_EXCEPTIONS_H

/*
 * The C++ runtime keeps per thread which exceptions are caught and being handled, and how
 * many are uncaught. A goroutine may park in a catch block, or in a destructor during
 * unwinding, and resume on another thread. So a switch takes this state from the thread and
 * keeps it on the stack of the goroutine that leaves. When that goroutine resumes, it puts
 * the state back. Goroutines that start on the thread meanwhile find no exceptions.
 *
 * __cxa_get_globals(), which returns the address of the state, exists only in programs that
 * contain C++: it is a weak symbol here. Each M calls it once, since it may allocate.
 */
#include <stdbool.h>

struct rt_m;

/* The layout of the C++ ABI. The thread itself. */
struct rt_exceptions {
    void *caught; /* list, innermost first */
    unsigned uncaught;
};

/* Whether the program contains C++. */
bool rt_exceptions_exist(void);

/* Returns the address of the calling thread's state; NULL: the program has no C++. */
struct rt_exceptions *rt_exceptions_of_thread(void);

/* Takes the state from the thread of m, the caller, which then has none. */
struct rt_exceptions rt_exceptions_take(struct rt_m *m);

/* Puts the state back on the thread of m, the caller. */
void rt_exceptions_put(struct rt_m *m, struct rt_exceptions state);

#endif
