/* SPDX-License-Identifier: MIT */
/* Where the caller is: return addresses, and names for them. */
#ifndef RT_BASE_BACKTRACE_H
#define RT_BASE_BACKTRACE_H

#include "base/compiler.h"

/* Prints the calling stack, one function and one address line per frame, to fd. Frames
   inside the first call of the runtime are left out if skip_until is the address that
   they return to; NULL shows all. */
void rt_backtrace_print(int fd, const void *skip_until);

/* Prints one address as "function+0x12" or "module+0x1234", whichever can be told. */
void rt_backtrace_print_pc(int fd, const void *pc);

/* The name of the function that holds pc, or NULL. */
const char *rt_backtrace_function(const void *pc);

#endif
