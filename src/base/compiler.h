/* SPDX-License-Identifier: MIT */
/* Attributes and small macros that every file may use. */
#ifndef RT_BASE_COMPILER_H
#define RT_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Declares a variable of the library. -fvisibility=hidden is for definitions only:
   without the attribute, code that sees no more than the declaration reads the address of
   the variable from the global offset table first. */
#define RT_EXTERN extern __attribute__((visibility("hidden")))

#define RT_NOINLINE __attribute__((noinline))
/* For functions so short that the call would be a large part of their cost. */
#define RT_INLINE    inline __attribute__((always_inline))
#define RT_COLD      __attribute__((cold, noinline))
#define RT_NODISCARD __attribute__((warn_unused_result))
#define RT_PRINTF(format_arg, first_arg) \
    __attribute__((format(printf, format_arg, first_arg)))

/* Data that different threads write is kept this far apart. */
#define RT_CACHE_LINE_BYTES 64
#define RT_CACHE_ALIGNED    __attribute__((aligned(RT_CACHE_LINE_BYTES)))

#define rt_container_of(pointer, type, member) \
    ((type *)((char *)(pointer)-offsetof(type, member)))

/* Of two times, or of two lengths of time. */
static inline int64_t rt_earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#define RT_ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The sanitizers must know about every stack switch: see debug/sanitize.h. */
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

/* Set by the build: ThreadSanitizer instruments the program but not the runtime. */
#ifndef RT_RACE
#define RT_RACE 0
#endif

#if RT_RACE || defined(__SANITIZE_THREAD__)
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
