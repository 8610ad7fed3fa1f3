/* SPDX-License-Identifier: MIT */
/* Annotations that report to ThreadSanitizer the order that the library creates between
   goroutines. Empty in other builds. */
#ifndef RT_BASE_RACE_H
#define RT_BASE_RACE_H

/*
 * Problem. ThreadSanitizer should find the races that Go's detector finds, including
 * those between goroutines of one P, which never run at the same time. If it also
 * instrumented the runtime, every atomic operation of the scheduler would order the
 * goroutines that pass through it and hide almost every race between them.
 *
 * Solution: Go's. The runtime is compiled without the sanitizer. A goroutine switch is
 * annotated as one that creates no order. Each operation that orders its callers by
 * docs/memory-model.md is annotated on the caller's side, with the address of the object:
 * a release before it, an acquire after it. Where the documented order is weaker than
 * what the object's lock implies, the annotation follows the lock: an extra edge may hide
 * a race, a missing edge would report a false one.
 *
 * The build that tests the runtime itself instruments the runtime and uses none of this.
 */
#include "base/compiler.h"

#if RT_RACE
#include <sanitizer/tsan_interface.h>

/* Exported by the sanitizer, but declared in none of its headers. */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *start,
                             unsigned long bytes, const char *why);
void __tsan_atomic64_store(volatile void *word, long value, int order);
long __tsan_atomic64_load(const volatile void *word, int order);
#define RT_RACE_LOAD  2 /* acquire */
#define RT_RACE_STORE 3 /* release */
#endif

/* Orders what all threads did before they released object before what follows. */
static inline void rt_race_acquire(const void *object) {
#if RT_RACE
    __tsan_acquire((void *)object);
#endif
    (void)object;
}

static inline void rt_race_release(const void *object) {
#if RT_RACE
    __tsan_release((void *)object);
#endif
    (void)object;
}

/* Between begin and end, ThreadSanitizer ignores the memory that C library calls access:
   the runtime passes memory between threads in ways that the sanitizer cannot see. */
static inline void rt_race_ignore_begin(void) {
#if RT_RACE
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
}

static inline void rt_race_ignore_end(void) {
#if RT_RACE
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

/* Ignores until the end of the enclosing block. */
#if RT_RACE
static inline void rt_race_ignore_leave(const char *unused) {
    (void)unused;
    rt_race_ignore_end();
}

#define RT_RACE_IGNORED()   \
    rt_race_ignore_begin(); \
    __attribute__((cleanup(rt_race_ignore_leave), unused)) const char rt_race_ignored = 0
#else
#define RT_RACE_IGNORED() ((void)0)
#endif

/* Marks thread-local memory that holds a separate value for each goroutine: the runtime
   swaps the value when it resumes a goroutine. */
static inline void rt_race_expect(const volatile void *start, unsigned long bytes) {
#if RT_RACE
    AnnotateBenignRaceSized(__FILE__, __LINE__, start, bytes, "kept by goroutine");
#endif
    (void)start;
    (void)bytes;
}

#endif
