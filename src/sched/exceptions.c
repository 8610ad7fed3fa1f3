/* SPDX-License-Identifier: MIT */
/* Moves the C++ exception state between threads and goroutines. */
#include "sched/exceptions.h"
#include "sched/m.h"

/* Part of the C++ runtime. Its own declaration says that the result never changes, which is
   true only within one thread. */
extern struct rt_exceptions *__cxa_get_globals(void) __attribute__((weak));

bool rt_exceptions_exist(void) {
    return __cxa_get_globals != NULL;
}

struct rt_exceptions *rt_exceptions_of_thread(void) {
    return rt_exceptions_exist() ? __cxa_get_globals() : NULL;
}

struct rt_exceptions rt_exceptions_take(struct rt_m *m) {
    struct rt_exceptions none = {.caught = NULL};
    struct rt_exceptions state = none;
    if (m->exceptions != NULL) {
        state = *m->exceptions;
        *m->exceptions = none;
    }
    return state;
}

void rt_exceptions_put(struct rt_m *m, struct rt_exceptions state) {
    if (m->exceptions != NULL) {
        *m->exceptions = state;
    }
}
