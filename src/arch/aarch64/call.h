/* SPDX-License-Identifier: MIT */
/* aarch64/call.h: the svc instruction, with the number in x8. The kernel preserves all
   registers that C without scalable vectors uses, but x0 (the first argument, then the
   result). */
#ifndef RT_ARCH_KERNEL_CALL_H
#define RT_ARCH_KERNEL_CALL_H

static inline int64_t arch_kernel_call(int64_t number, int64_t a, int64_t b, int64_t c,
                                       int64_t d, int64_t e, int64_t f) {
    register int64_t x8 __asm__("x8") = number;
    register int64_t x0 __asm__("x0") = a;
    register int64_t x1 __asm__("x1") = b;
    register int64_t x2 __asm__("x2") = c;
    register int64_t x3 __asm__("x3") = d;
    register int64_t x4 __asm__("x4") = e;
    register int64_t x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

#endif
