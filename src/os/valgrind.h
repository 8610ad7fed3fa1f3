/* SPDX-License-Identifier: MIT */
/* Whether the process runs under valgrind, which supports fewer system calls. */
#ifndef RT_OS_VALGRIND_H
#define RT_OS_VALGRIND_H

#include <stdbool.h>
#if RT_HAVE_VALGRIND
#include <valgrind/valgrind.h>
#endif

/* Always false if the library was built without valgrind's header. */
static inline bool os_on_valgrind(void) {
#if RT_HAVE_VALGRIND
    return RUNNING_ON_VALGRIND != 0;
#else
    return false;
#endif
}

#endif
