/* SPDX-License-Identifier: MIT */
/* x86_64/fp.h: resets the floating-point settings to those that a context starts with. */
#ifndef RT_ARCH_FP_H
#define RT_ARCH_FP_H

static inline void arch_fp_reset(void) {
    const uint32_t mxcsr = ARCH_MXCSR_INITIAL;
    uint16_t x87_cw;

    /* As in a switch: loading MXCSR is cheaper than comparing it. The x87 word is
       compared, because loading it requires clearing exceptions first. */
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
