/* SPDX-License-Identifier: MIT */
/* aarch64/fp.h: back to the floating-point settings that a context begins with. */
#ifndef RT_ARCH_FP_H
#define RT_ARCH_FP_H

static inline void arch_fp_reset(void) {
    uint64_t fpcr;

    /* As in a switch: slow to write, and hardly ever different. */
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    if (__builtin_expect(fpcr != ARCH_FPCR_INITIAL, 0)) {
        fpcr = ARCH_FPCR_INITIAL;
        __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
    }
}

#endif
