/* SPDX-License-Identifier: MIT */
/* Bit operations. */
#ifndef RT_BASE_BITS_H
#define RT_BASE_BITS_H

#include <stdint.h>

/* The exponent of the smallest power of two that is at least x; 1 <= x <= 2^63. */
static inline unsigned rt_log2_up(uint64_t x) {
    return x <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

/* The index of the lowest set bit; x is not 0. */
static inline unsigned rt_lowest_bit(uint64_t x) {
    return (unsigned)__builtin_ctzll(x);
}

#endif
