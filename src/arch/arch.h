/* SPDX-License-Identifier: MIT */
/* arch.h: what the runtime needs from a processor: stack switches and the current M.
 *
 * A context is a suspended stack with a frame of saved registers at its lower end; the
 * address of that frame names it. Only its owner may switch to it; nothing here is atomic.
 * Another thread than the one that saved a context may resume it, provided that the save
 * happens before the resume. For that, arch_switch() calls a function on the next
 * context's stack once the save is complete; that function may publish the saved context.
 *
 * A switch preserves what the ABI makes any function preserve: the callee-saved registers
 * and the floating-point control settings (rounding, masked exceptions, flush to zero). It
 * need not preserve what a call may change: all other registers, the rest of the vector
 * state, and the floating-point exception flags, which after a switch may be those of
 * another goroutine.
 *
 * A switch leaves thread-local storage, the signal mask and the alternate signal stack
 * alone. The caller announces the switch to the sanitizers, and the function that the
 * switch calls announces the arrival. Shadow stacks (SHSTK, GCS) are not supported.
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

/* A suspended stack. All its state but the stack pointer is on the stack itself. Guarded
   by its owner; see above. */
struct arch_context {
    void *sp; /* the address of its struct arch_frame; undefined while the context runs */
};

/* The function that a switch calls on the stack that it enters. */
typedef void arch_then(void *arg);

#pragma GCC visibility push(hidden)

/* Suspends the caller as *save and changes to the stack of *load; calls then(arg) there,
   and when that returns, resumes the context *load. Returns when a thread switches to
   *save.

   then may publish *save, even to a thread that resumes it while then still runs: once
   then has begun, the switch reads neither *save nor the stack behind it. then runs on the
   resumed side's stack and with its floating-point settings, as if that side had called
   it. It must not switch, and it is never NULL.

   *save is written before *load is read, so both may be the same object: that is a call of
   then(arg). The switch consumes the frame at load->sp; *load must be saved or prepared
   again before the next switch to it.

   Cheapest when both sides were suspended by the same call instruction, and cheaper the
   fewer calls are between it and the program; a function that ends with arch_switch() as a
   tail call does not count. */
void arch_switch(struct arch_context *save, const struct arch_context *load,
                 arch_then *then, void *arg);

/* Makes *c a context whose first switch, after its then, calls entry(arg) on the stack
   below stack_top, which is rounded down to 16 bytes. entry must not return: the
   processor traps if it does. entry starts with the floating-point settings of a new
   process, whatever those of the preparing and the switching side are. Unwinders see it
   as the outermost frame, except for the few instructions that call it. Touches only
   ARCH_FRAME_SIZE bytes below stack_top. */
static inline void arch_context_prepare(struct arch_context *c, void *stack_top,
                                        void (*entry)(void *arg), void *arg);

/* Abandons the caller and calls entry(arg) below stack_top as a prepared context would,
   but with the current floating-point settings. For arch_jump(). */
_Noreturn void arch_context_enter(void *stack_top, void (*entry)(void *arg), void *arg);

/* Calls fn(arg) on the stack below stack_top, which is rounded down to 16 bytes, and
   returns its result on the caller's stack. Unwinders see the caller behind the frames of
   fn. */
void *arch_call_on(void *stack_top, void *(*fn)(void *arg), void *arg);

/* The calling thread's M, or NULL on a thread that the runtime does not know. The
   scheduler defines it, with __attribute__((used)), because link-time optimization does
   not see the references in tls.h. No other code names it: compilers compute the address
   of a thread-local once and reuse it after a switch, when the code may run on another
   thread. */
extern __thread struct rt_m *rt_tls_m __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

/* Reads rt_tls_m through the current thread pointer at every call, so it is correct on
   both sides of a switch. */
static inline struct rt_m *arch_self(void);

/* Sets what arch_self() returns on the calling thread. */
static inline void arch_self_set(struct rt_m *m);

/* Gives the caller the floating-point settings of a new process, as a prepared context has
   them: for a goroutine that starts without a switch. Does not raise exceptions that its
   predecessor left pending. */
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
