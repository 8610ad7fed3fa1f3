/* SPDX-License-Identifier: MIT */
/* System calls without the C library. */
#ifndef RT_ARCH_CALL_H
#define RT_ARCH_CALL_H

#include <stdint.h>

/* Makes the system call of that number (<sys/syscall.h>) with up to six arguments. Returns
   the kernel's result: a negative number is an error. Leaves errno alone. */
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
