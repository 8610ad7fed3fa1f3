/* SPDX-License-Identifier: MIT */
/* Stack traces of the caller, with function names. */
#ifndef RT_BASE_BACKTRACE_H
#define RT_BASE_BACKTRACE_H

#include "base/compiler.h"
#include <stdbool.h>

/* Prints the calling stack to fd, one function line and one address line per frame. Omits
   the frames inner to return address skip_until (NULL: omits none) and, unless whole, the
   library's own frames. If that leaves no frame, prints all of them. */
void rt_backtrace_print(int fd, const void *skip_until, bool whole);

/* Prints one address as "function+0x12", or as "module+0x1234" if the name is unknown. */
void rt_backtrace_print_pc(int fd, const void *pc);

/* Returns the name of the function that contains pc, or NULL. */
const char *rt_backtrace_function(const void *pc);

#endif
