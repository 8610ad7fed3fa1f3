/* SPDX-License-Identifier: MIT */
/* x86_64/context.h: the frame of a suspended context, for C and for switch.S. */
#ifndef RT_ARCH_CONTEXT_H
#define RT_ARCH_CONTEXT_H

/* Bytes from the saved stack pointer. context_check.c compares them with the struct. */
#define ARCH_FRAME_MXCSR  0
#define ARCH_FRAME_X87_CW 4
#define ARCH_FRAME_RBX    8
#define ARCH_FRAME_R12    16
#define ARCH_FRAME_R13    24
#define ARCH_FRAME_R14    32
#define ARCH_FRAME_R15    40
#define ARCH_FRAME_RBP    48
#define ARCH_FRAME_RIP    56
#define ARCH_FRAME_SIZE   64

/* The System V ABI's values at process entry: round to nearest, all exceptions masked,
   denormals kept, 64-bit significands in x87. */
#define ARCH_MXCSR_INITIAL  0x1f80
#define ARCH_X87_CW_INITIAL 0x037f

#ifndef __ASSEMBLER__

#include <stdint.h>

struct arch_frame {
    uint32_t mxcsr;
    uint16_t x87_cw;
    uint16_t unused;
    void *rbx;
    void *r12;
    void *r13;
    void *r14;
    void *r15;
    void *rbp;
    void *rip;
};

/* Every offset that switch.S uses. */
#define ARCH_FRAME_FIELDS(X)     \
    X(mxcsr, ARCH_FRAME_MXCSR)   \
    X(x87_cw, ARCH_FRAME_X87_CW) \
    X(rbx, ARCH_FRAME_RBX)       \
    X(r12, ARCH_FRAME_R12)       \
    X(r13, ARCH_FRAME_R13)       \
    X(r14, ARCH_FRAME_R14)       \
    X(r15, ARCH_FRAME_R15)       \
    X(rbp, ARCH_FRAME_RBP)       \
    X(rip, ARCH_FRAME_RIP)

/* The first instruction of a new context, and the start of its code, in switch.S. They do
   not follow the C calling convention: C may only take the addresses. */
__attribute__((visibility("hidden"))) extern const char arch_context_begin[];
__attribute__((visibility("hidden"))) extern const char arch_context_start[];

static inline void arch_context_prepare(struct arch_context *c, void *stack_top,
                                        void (*entry)(void *arg), void *arg) {
    uintptr_t top = (uintptr_t)stack_top & ~(uintptr_t)15;
    struct arch_frame *f = (struct arch_frame *)(top - sizeof *f);

    *f = (struct arch_frame){
        .mxcsr = ARCH_MXCSR_INITIAL,
        .x87_cw = ARCH_X87_CW_INITIAL,
        .rbx = (void *)entry,
        .r12 = arg,
        .rbp = 0, // ends the chain of frame pointers
        .rip = (void *)arch_context_begin,
    };
    c->sp = f;
}

#endif
#endif
