/* SPDX-License-Identifier: MIT */
/* A small pseudo-random generator, one per thread. For spreading load, not for
   secrets. */
#ifndef RT_BASE_RAND_H
#define RT_BASE_RAND_H

#include <stdint.h>

struct rt_rand {
    uint64_t state;
};

/* SplitMix64: every seed, zero included, gives a full-period sequence. */
static inline uint64_t rt_rand_next(struct rt_rand *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a number below n, n > 0. The slight bias of multiply-shift does not matter. */
static inline uint32_t rt_rand_below(struct rt_rand *r, uint32_t n) {
    return (uint32_t)(((rt_rand_next(r) >> 32) * n) >> 32);
}

#endif
