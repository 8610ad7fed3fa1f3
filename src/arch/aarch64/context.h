/* SPDX-License-Identifier: MIT */
/* aarch64/context.h: the frame of a suspended context, for C and for switch.S. */
#ifndef RT_ARCH_CONTEXT_H
#define RT_ARCH_CONTEXT_H

/* Bytes from the saved stack pointer. context_check.c compares them with the struct. */
#define ARCH_FRAME_X19  0
#define ARCH_FRAME_X20  8
#define ARCH_FRAME_X21  16
#define ARCH_FRAME_X22  24
#define ARCH_FRAME_X23  32
#define ARCH_FRAME_X24  40
#define ARCH_FRAME_X25  48
#define ARCH_FRAME_X26  56
#define ARCH_FRAME_X27  64
#define ARCH_FRAME_X28  72
#define ARCH_FRAME_X29  80
#define ARCH_FRAME_X30  88
#define ARCH_FRAME_D8   96
#define ARCH_FRAME_D9   104
#define ARCH_FRAME_D10  112
#define ARCH_FRAME_D11  120
#define ARCH_FRAME_D12  128
#define ARCH_FRAME_D13  136
#define ARCH_FRAME_D14  144
#define ARCH_FRAME_D15  152
#define ARCH_FRAME_FPCR 160
#define ARCH_FRAME_SIZE 176

/* What Linux gives a new process: round to nearest, no traps, denormals kept. */
#define ARCH_FPCR_INITIAL 0

#ifndef __ASSEMBLER__

#include <stdint.h>

struct arch_frame {
    void *x19;
    void *x20;
    void *x21;
    void *x22;
    void *x23;
    void *x24;
    void *x25;
    void *x26;
    void *x27;
    void *x28;
    void *x29;
    void *x30;
    uint64_t d8;
    uint64_t d9;
    uint64_t d10;
    uint64_t d11;
    uint64_t d12;
    uint64_t d13;
    uint64_t d14;
    uint64_t d15;
    uint64_t fpcr;
    uint64_t unused;
};

/* Every offset that switch.S uses. */
#define ARCH_FRAME_FIELDS(X) \
    X(x19, ARCH_FRAME_X19)   \
    X(x20, ARCH_FRAME_X20)   \
    X(x21, ARCH_FRAME_X21)   \
    X(x22, ARCH_FRAME_X22)   \
    X(x23, ARCH_FRAME_X23)   \
    X(x24, ARCH_FRAME_X24)   \
    X(x25, ARCH_FRAME_X25)   \
    X(x26, ARCH_FRAME_X26)   \
    X(x27, ARCH_FRAME_X27)   \
    X(x28, ARCH_FRAME_X28)   \
    X(x29, ARCH_FRAME_X29)   \
    X(x30, ARCH_FRAME_X30)   \
    X(d8, ARCH_FRAME_D8)     \
    X(d9, ARCH_FRAME_D9)     \
    X(d10, ARCH_FRAME_D10)   \
    X(d11, ARCH_FRAME_D11)   \
    X(d12, ARCH_FRAME_D12)   \
    X(d13, ARCH_FRAME_D13)   \
    X(d14, ARCH_FRAME_D14)   \
    X(d15, ARCH_FRAME_D15)   \
    X(fpcr, ARCH_FRAME_FPCR)

/* The first instruction of a new context, and the start of its code, in switch.S. They do
   not follow the C calling convention: C may only take the addresses. */
__attribute__((visibility("hidden"))) extern const char arch_context_begin[];
__attribute__((visibility("hidden"))) extern const char arch_context_start[];

static inline void arch_context_prepare(struct arch_context *c, void *stack_top,
                                        void (*entry)(void *arg), void *arg) {
    uintptr_t top = (uintptr_t)stack_top & ~(uintptr_t)15;
    struct arch_frame *f = (struct arch_frame *)(top - sizeof *f);

    *f = (struct arch_frame){
        .x19 = (void *)entry,
        .x20 = arg,
        .x29 = 0, // ends the chain of frame pointers
        .x30 = (void *)arch_context_begin,
        .fpcr = ARCH_FPCR_INITIAL,
    };
    c->sp = f;
}

#endif
#endif
