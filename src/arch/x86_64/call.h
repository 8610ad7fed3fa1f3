/* SPDX-License-Identifier: MIT */
/* x86_64/call.h: the syscall instruction. The kernel preserves all registers but rax (the
   number, then the result), rcx and r11 (the return address and the flags). */
#ifndef RT_ARCH_KERNEL_CALL_H
#define RT_ARCH_KERNEL_CALL_H

static inline int64_t arch_kernel_call(int64_t number, int64_t a, int64_t b, int64_t c,
                                       int64_t d, int64_t e, int64_t f) {
    register int64_t r10 __asm__("r10") = d;
    register int64_t r8 __asm__("r8") = e;
    register int64_t r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return number;
}

#endif
