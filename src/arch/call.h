/* SPDX-License-Identifier: MIT */
/* Calling the kernel without the C library. */
#ifndef RT_ARCH_CALL_H
#define RT_ARCH_CALL_H

#include <stdint.h>

/* The call of that number, one of <sys/syscall.h>, with up to six arguments. Returns what
   the kernel does: an error is a negative number, and errno stays as it is. */
static inline int64_t arch_kernel_call(int64_t number, int64_t a, int64_t b, int64_t c,
                                       int64_t d, int64_t e, int64_t f);

#if defined(__x86_64__)
#include "x86_64/call.h"
#elif defined(__aarch64__)
#include "aarch64/call.h"
#else
#error "this processor has no port yet: see arch/arch.h"
#endif

#endif
