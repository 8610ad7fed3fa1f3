/* SPDX-License-Identifier: MIT */
/* Attributes and small macros that every file may use. */
#ifndef RT_BASE_COMPILER_H
#define RT_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define RT_NOINLINE __attribute__((noinline))
/* where a call would cost a good part of the whole */
#define RT_INLINE    inline __attribute__((always_inline))
#define RT_COLD      __attribute__((cold, noinline))
#define RT_NODISCARD __attribute__((warn_unused_result))
#define RT_PRINTF(format_arg, first_arg) \
    __attribute__((format(printf, format_arg, first_arg)))

/* Data written by different threads is kept this far apart. */
#define RT_CACHE_LINE_BYTES 64
#define RT_CACHE_ALIGNED    __attribute__((aligned(RT_CACHE_LINE_BYTES)))

#define rt_container_of(pointer, type, member) \
    ((type *)((char *)(pointer)-offsetof(type, member)))

#define RT_ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The sanitizers have to be told about every switch of stacks: see sched/sanitize.h. */
#if defined(__SANITIZE_ADDRESS__)
#define RT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RT_ASAN 1
#endif
#endif
#ifndef RT_ASAN
#define RT_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define RT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RT_TSAN 1
#endif
#endif
#ifndef RT_TSAN
#define RT_TSAN 0
#endif

/* Invariant checks: the debug and sanitizer presets set it to 1. */
#ifndef RT_CHECKS
#define RT_CHECKS 0
#endif

#endif
