/* SPDX-License-Identifier: MIT */
/* x86_64/fp.h: back to the floating-point settings that a context begins with. */
#ifndef RT_ARCH_FP_H
#define RT_ARCH_FP_H

static inline void arch_fp_reset(void) {
    const uint32_t mxcsr = ARCH_MXCSR_INITIAL;
    uint16_t x87_cw;

    /* As in a switch: MXCSR is loaded because to look at it is dearer, the x87 word is
       looked at because exceptions have to be cleared before it can be loaded. */
    __asm__ volatile("fnstcw %0" : "=m"(x87_cw));
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    if (__builtin_expect(x87_cw != ARCH_X87_CW_INITIAL, 0)) {
        x87_cw = ARCH_X87_CW_INITIAL;
        __asm__ volatile("fnclex\n\t"
                         "fldcw %0"
                         :
                         : "m"(x87_cw));
    }
}

#endif
