/* SPDX-License-Identifier: MIT */
/* Bit tricks with names. */
#ifndef RT_BASE_BITS_H
#define RT_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool rt_is_pow2(uint64_t x) {
    return x != 0 && (x & (x - 1)) == 0;
}

/* The exponent of the smallest power of two that is at least x, for x from 1 to 2^63. */
static inline unsigned rt_log2_up(uint64_t x) {
    return x <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

/* The index of the lowest set bit; x is not 0. */
static inline unsigned rt_lowest_bit(uint64_t x) {
    return (unsigned)__builtin_ctzll(x);
}

static inline uint32_t rt_gcd(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
