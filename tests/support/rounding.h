/* SPDX-License-Identifier: MIT */
/* rounding.h: the processor's rounding mode, as its two control bits. */
#ifndef TEST_ROUNDING_H
#define TEST_ROUNDING_H

/* <fenv.h> would need the mathematics library, which nothing else here needs. x86-64 has
   two floating-point units with a control word each, and a goroutine may use either. */

#include "test.h"

/* Mode 0 is to nearest everywhere; 1 to 3 are the others, in the processor's order. */
#define TEST_ROUNDING_MODES 4

#if defined(__x86_64__)

#define TEST_MXCSR_SHIFT 13
#define TEST_X87_SHIFT   10

static inline void test_rounding_set(unsigned mode) {
    unsigned sse;
    unsigned short x87;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    sse = (sse & ~(3u << TEST_MXCSR_SHIFT)) | mode << TEST_MXCSR_SHIFT;
    x87 = (unsigned short)((x87 & ~(3u << TEST_X87_SHIFT)) | mode << TEST_X87_SHIFT);
    __asm__ volatile("ldmxcsr %0" : : "m"(sse));
    __asm__ volatile("fldcw %0" : : "m"(x87));
}

/* Requires that both units agree. */
static inline unsigned test_rounding_get(void) {
    unsigned sse;
    unsigned short x87;
    __asm__ volatile("stmxcsr %0" : "=m"(sse));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    ASSERT_EQ(sse >> TEST_MXCSR_SHIFT & 3u, x87 >> TEST_X87_SHIFT & 3u);
    return sse >> TEST_MXCSR_SHIFT & 3u;
}

#elif defined(__aarch64__)

#define TEST_FPCR_SHIFT 22

static inline void test_rounding_set(unsigned mode) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = (fpcr & ~(UINT64_C(3) << TEST_FPCR_SHIFT)) | (uint64_t)mode << TEST_FPCR_SHIFT;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
}

static inline unsigned test_rounding_get(void) {
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (unsigned)(fpcr >> TEST_FPCR_SHIFT & 3u);
}

#endif

#endif
