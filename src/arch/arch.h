/* SPDX-License-Identifier: MIT */
/* arch.h: what the runtime asks of a processor: to change stacks, to know the thread.
 *
 * A context is a stack with a frame of saved registers at its lower end, and is named by
 * the address of that frame. It belongs to whoever may switch to it; nothing here is
 * atomic. A context may be resumed by another thread than the one that saved it, provided
 * that the saving happens before the resuming: arch_switch() calls a function that may
 * publish the saved context, on the next context's stack, when the saving is done.
 *
 * What a switch keeps is what a C caller may expect of any function: the callee-saved
 * registers and the floating-point control settings (rounding, masked exceptions,
 * flushing of denormals). What it does not promise to keep is what a call may change as
 * well: all other registers, the rest of the vector state, and the floating-point
 * exception flags, which after a switch may be those of another goroutine.
 *
 * Not touched by a switch: thread-local storage, the signal mask, the alternate signal
 * stack. Sanitizers are told about a switch by the caller, and about the arrival by the
 * function that the switch calls. Shadow stacks (SHSTK, GCS) would have to be switched too
 * and are not.
 *
 * A port is a folder with five files; docs/design/context-switch.md gives the reasons:
 *     context.h  struct arch_frame, its offsets for the assembler, arch_context_prepare()
 *     fp.h       arch_fp_reset()
 *     tls.h      arch_self(), arch_self_set()
 *     call.h     arch_kernel_call(), for arch/call.h
 *     switch.S   the rest
 */
#ifndef RT_ARCH_H
#define RT_ARCH_H

struct rt_m;

/* A stack that is not running. All but its stack pointer is on the stack itself. */
struct arch_context {
    void *sp; /* its struct arch_frame; meaningless while the context runs */
};

/* What a switch does on the stack that it enters. */
typedef void arch_then(void *arg);

#pragma GCC visibility push(hidden)

/* Suspends the caller as *save and changes to the stack of *load; there it calls
   then(arg), and when that returns, the context *load goes on. Returns when someone
   switches to *save.

   then may give *save away, even to a thread that resumes it while then still runs:
   the switch looks neither at *save nor at the stack behind it once then has begun.
   It runs as if the resumed side had called it, on that side's stack and with its
   floating-point settings. It must not switch, and it is never NULL.

   *save is written before *load is read, so both may be the same object: that is a
   call of then(arg). The frame at load->sp is used up; *load has to be saved or
   prepared again before the next switch to it.

   Cheapest when both sides were suspended by the same call instruction, and the more
   so the fewer calls are between it and the program: a function that ends with
   arch_switch(), as a tail call, is not one of them. */
void arch_switch(struct arch_context *save, const struct arch_context *load,
                 arch_then *then, void *arg);

/* Makes *c a context whose first switch, after its then, calls entry(arg) on the stack
   below stack_top, which is rounded down to 16 bytes. entry must not return: the
   processor traps if it does. It starts with the floating-point settings of a fresh
   process, whatever those of the preparing and of the switching side are, and is the
   outermost frame that unwinders see, next to the few instructions that call it.
   Touches ARCH_FRAME_SIZE bytes below stack_top, nothing else. */
static inline void arch_context_prepare(struct arch_context *c, void *stack_top,
                                        void (*entry)(void *arg), void *arg);

/* Abandons the caller and calls entry(arg) below stack_top as a context prepared so
   would, but with the floating-point settings of this moment. For arch_jump(). */
_Noreturn void arch_context_enter(void *stack_top, void (*entry)(void *arg), void *arg);

/* Calls fn(arg) on the stack below stack_top, which is rounded down to 16 bytes, and
   returns its result on the caller's own stack. Unwinders see the caller behind the
   frames of fn. */
void *arch_call_on(void *stack_top, void *(*fn)(void *arg), void *arg);

/* The calling thread's M, or NULL on a thread that the runtime does not know. The
   scheduler defines it, with __attribute__((used)) because the references in tls.h are
   invisible to a link-time optimizer. Nobody else names it: compilers compute the
   address of a thread-local once and use it again after a switch, when the code may
   run on another thread. */
extern __thread struct rt_m *rt_tls_m __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

/* Reads rt_tls_m through the thread pointer of this moment, however often it is
   called: right on both sides of a switch. */
static inline struct rt_m *arch_self(void);

/* Makes m the answer of arch_self() on the calling thread. */
static inline void arch_self_set(struct rt_m *m);

/* Gives the caller the floating-point settings of a fresh process, which a prepared
   context begins with: for a goroutine that begins without a switch. Exceptions that
   its predecessor may have left pending are not raised by this. */
static inline void arch_fp_reset(void);

#if defined(__x86_64__) && defined(__LP64__)
#include "x86_64/context.h"
#include "x86_64/fp.h"
#include "x86_64/tls.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "aarch64/context.h"
#include "aarch64/fp.h"
#include "aarch64/tls.h"
#else
#error "tuco has no port to this processor; src/arch/arch.h says what one consists of"
#endif

/* Abandons the caller and calls entry(arg) below stack_top as the first switch to a
   prepared context would. stack_top may be that of the running stack, whose frames are
   then lost. */
static inline _Noreturn void arch_jump(void *stack_top, void (*entry)(void *arg),
                                       void *arg) {
    arch_fp_reset();
    arch_context_enter(stack_top, entry, arg);
}

#endif
