/* SPDX-License-Identifier: MIT */
/* aarch64/fp.h: resets the floating-point settings to those that a context starts with. */
#ifndef RT_ARCH_FP_H
#define RT_ARCH_FP_H

static inline void arch_fp_reset(void) {
    uint64_t fpcr;

    /* As in a switch: the write is slow and rarely needed. */
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    if (__builtin_expect(fpcr != ARCH_FPCR_INITIAL, 0)) {
        fpcr = ARCH_FPCR_INITIAL;
        __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
    }
}

#endif
