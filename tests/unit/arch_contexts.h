/* SPDX-License-Identifier: MIT */
/* arch_contexts.h: two stacks and three contexts for the tests of src/arch. */
#ifndef ARCH_CONTEXTS_H
#define ARCH_CONTEXTS_H

#include "test.h"
#include "arch/arch.h"
#include "base/compiler.h"

#include <string.h>
#if RT_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define STACK_BYTES ((size_t)128 * 1024)
#define ABOVE_BYTES ((size_t)512)

/* Two stacks in a known order of addresses, so that unwinders go both up and down. */
static struct {
    char low[STACK_BYTES];
    char high[STACK_BYTES];
} stacks __attribute__((aligned(64)));

static char *const low_top = stacks.low + STACK_BYTES - ABOVE_BYTES;
static char *const high_top = stacks.high + STACK_BYTES - ABOVE_BYTES;

static struct arch_context home; // the test itself, while a context runs
static struct arch_context a;
static struct arch_context b;

static inline bool is_on(const char *stack, const void *address) {
    return (uintptr_t)address - (uintptr_t)stack < STACK_BYTES;
}

/* AddressSanitizer marks the frames of running functions, and those on an abandoned
   stack never clear their marks. */
static inline void forget_frames(char *top) {
#if RT_ASAN
    char *stack = is_on(stacks.low, top) ? stacks.low : stacks.high;
    __asan_unpoison_memory_region(stack, STACK_BYTES);
#else
    (void)top;
#endif
}

/* Prepares a context below words that look like return addresses: an unwinder that does
   not stop at the top never stops. */
static inline void prepare_with(struct arch_context *c, char *top, void (*entry)(void *),
                                void *arg) {
    const uintptr_t address = (uintptr_t)entry + 1;
    forget_frames(top);
    for (size_t i = 0; i < ABOVE_BYTES; i += sizeof address) {
        memcpy(top + i, &address, sizeof address);
    }
    arch_context_prepare(c, top, entry, arg);
}

static inline void prepare(struct arch_context *c, char *top, void (*entry)(void *)) {
    prepare_with(c, top, entry, NULL);
}

static inline void nothing(void *arg) {
    (void)arg;
}

/* Inlined, here and in the tests, so that each user has its own call instruction, and
   ThreadSanitizer does not see a function begin on one thread and end on another. */
#define INLINED inline __attribute__((always_inline))

static INLINED void go(struct arch_context *save, const struct arch_context *load) {
    arch_switch(save, load, nothing, NULL);
}

static inline void go_home_for_ever(struct arch_context *self) {
    for (;;) {
        go(self, &home);
    }
}

#endif
