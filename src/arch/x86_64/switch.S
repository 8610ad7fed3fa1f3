/* SPDX-License-Identifier: MIT */
/* x86_64/switch.S: stack switches on x86-64, System V ABI. The contract is in ../arch.h.
 *
 * A suspended context, from the address in arch_context.sp upwards:
 *
 *      +56   return address    pushed by the call of arch_switch, or arch_context_begin
 *      +48   rbp
 *      +40   r15
 *      +32   r14
 *      +24   r13
 *      +16   r12               in a new context: the argument of its entry function
 *       +8   rbx               in a new context: its entry function
 *       +4   x87 control word, then two unused bytes
 *  sp:  +0   MXCSR
 *
 * The frame has the same layout on the old stack and on the new stack. So one set of CFI
 * rules holds before and after the stack pointer changes, and a debugger can unwind from
 * every instruction: up the old stack before the change, up the new one after it.
 *
 * Indirect branch tracking (IBT): functions begin with endbr64. The jump that replaces a
 * return is marked notrack because it lands in the middle of a function, as a return does.
 * Shadow stacks (SHSTK) are not switched; the property note at the end names IBT only.
 */
#include "context.h"

        .text

/* void arch_switch(struct arch_context *save,             rdi
 *                  const struct arch_context *load,       rsi
 *                  arch_then *then,                       rdx
 *                  void *arg);                            rcx
 *
 * then may publish the suspended context to another thread, which may resume it at once.
 * So all reads of *save and of the old stack (r8) come before the call of then. After it,
 * that memory belongs to the other thread.
 */
        .globl  arch_switch
        .hidden arch_switch
        .type   arch_switch, @function
        .p2align 6
arch_switch:
        .cfi_startproc
        endbr64

        /* Suspend the caller: complete the frame that its call instruction began. */
        subq    $ARCH_FRAME_RIP, %rsp
        .cfi_def_cfa_offset ARCH_FRAME_SIZE
        stmxcsr ARCH_FRAME_MXCSR(%rsp)
        fnstcw  ARCH_FRAME_X87_CW(%rsp)
        movq    %rbx, ARCH_FRAME_RBX(%rsp)
        movq    %r12, ARCH_FRAME_R12(%rsp)
        movq    %r13, ARCH_FRAME_R13(%rsp)
        movq    %r14, ARCH_FRAME_R14(%rsp)
        movq    %r15, ARCH_FRAME_R15(%rsp)
        movq    %rbp, ARCH_FRAME_RBP(%rsp)
        .cfi_rel_offset rbx, ARCH_FRAME_RBX
        .cfi_rel_offset r12, ARCH_FRAME_R12
        .cfi_rel_offset r13, ARCH_FRAME_R13
        .cfi_rel_offset r14, ARCH_FRAME_R14
        .cfi_rel_offset r15, ARCH_FRAME_R15
        .cfi_rel_offset rbp, ARCH_FRAME_RBP

        /* Change stacks. Save before load, because both may be the same context. */
        movq    %rsp, %r8
        movq    %rsp, (%rdi)
        movq    (%rsi), %rsp

        /* Load the control words. Loading MXCSR is cheaper than comparing it; loading the
           x87 word is not, and goroutines rarely change it. */
        ldmxcsr ARCH_FRAME_MXCSR(%rsp)
        movzwl  ARCH_FRAME_X87_CW(%r8), %r9d
        cmpw    ARCH_FRAME_X87_CW(%rsp), %r9w
        jne     .Lload_x87_cw
.Lresume:
        /* Load the registers. */
        movq    ARCH_FRAME_RBX(%rsp), %rbx
        movq    ARCH_FRAME_R12(%rsp), %r12
        movq    ARCH_FRAME_R13(%rsp), %r13
        movq    ARCH_FRAME_R14(%rsp), %r14
        movq    ARCH_FRAME_R15(%rsp), %r15
        movq    ARCH_FRAME_RBP(%rsp), %rbp
        movq    ARCH_FRAME_RIP(%rsp), %rax
        movq    %rcx, %rdi

        /* Call then and return. The processor predicts that a ret goes to the place of the
           last call. That is right if both sides called from one place, and then so are
           its predictions for the callers further up. In that case then is entered by a
           jump, and its ret is that ret. If the places differ, a jump replaces the ret and
           is predicted by its own history. */
        cmpq    ARCH_FRAME_RIP(%r8), %rax
        .cfi_remember_state
        .cfi_restore rbx
        .cfi_restore r12
        .cfi_restore r13
        .cfi_restore r14
        .cfi_restore r15
        .cfi_restore rbp
        jne     .Lreturn_elsewhere
        addq    $ARCH_FRAME_RIP, %rsp
        .cfi_def_cfa_offset 8
        jmp     *%rdx
.Lreturn_elsewhere:
        .cfi_def_cfa_offset ARCH_FRAME_SIZE
        call    *%rdx
        movq    ARCH_FRAME_RIP(%rsp), %rcx
        .cfi_register rip, rcx
        addq    $ARCH_FRAME_SIZE, %rsp
        .cfi_def_cfa_offset 0
        notrack jmp *%rcx

.Lload_x87_cw:
        .cfi_restore_state
        /* The next x87 instruction would raise an exception that the old word masked and
           the new word does not, in the wrong goroutine. Clear it first. */
        fnclex
        fldcw   ARCH_FRAME_X87_CW(%rsp)
        jmp     .Lresume
        .cfi_endproc
        .size   arch_switch, . - arch_switch

/* The start of a new context: rbx = entry, r12 = arg, rbp = 0, rsp = top of the stack, a
 * multiple of 16. Calls entry(arg). Unwinders stop here.
 *
 * arch_context_begin is the second instruction: in the frame of a new context it is a
 * return address, and unwinders look up a return address minus one, which must be in this
 * function.
 */
        .globl  arch_context_start
        .hidden arch_context_start
        .globl  arch_context_begin
        .hidden arch_context_begin
        .type   arch_context_start, @function
        .p2align 5
arch_context_start:
        .cfi_startproc
        .cfi_undefined rip
        nop
arch_context_begin:
        movq    %r12, %rdi
        call    *%rbx
        ud2
        .cfi_endproc
        .size   arch_context_start, . - arch_context_start

/* _Noreturn void arch_context_enter(void *stack_top,            rdi
 *                                   void (*entry)(void *arg),   rsi
 *                                   void *arg);                 rdx
 */
        .globl  arch_context_enter
        .hidden arch_context_enter
        .type   arch_context_enter, @function
        .p2align 4
arch_context_enter:
        .cfi_startproc
        endbr64
        /* From here on the new frames may overwrite the caller's. */
        andq    $-16, %rdi
        movq    %rdi, %rsp
        .cfi_def_cfa_offset 0
        .cfi_undefined rip

        /* The registers that arch_context_begin expects. */
        movq    %rsi, %rbx
        movq    %rdx, %r12
        xorl    %ebp, %ebp
        jmp     arch_context_begin
        .cfi_endproc
        .size   arch_context_enter, . - arch_context_enter

/* void *arch_call_on(void *stack_top, void *(*fn)(void *arg), void *arg);
 *                    rdi              rsi                     rdx
 *
 *      the caller's stack              the other stack
 *
 *      return address                  (stack_top, rounded down)
 *      rbp of the caller  <- rbp       return address into arch_call_on
 *                                      frames of fn
 */
        .globl  arch_call_on
        .hidden arch_call_on
        .type   arch_call_on, @function
        .p2align 4
arch_call_on:
        .cfi_startproc
        /* Debuggers take a caller at a lower address than its callee for a corrupt stack,
           unless one of the two is marked as a signal frame. */
        .cfi_signal_frame
        endbr64
        /* The frame pointer leads back to the caller's stack, for us and for unwinders. */
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_rel_offset rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp

        andq    $-16, %rdi
        movq    %rdi, %rsp
        movq    %rdx, %rdi
        call    *%rsi

        /* The result is in rax already. */
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_restore rbp
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   arch_call_on, . - arch_call_on

/* The address range of this file's code, for base/text.h. */
.Ltext_end:
        .section rt_text, "a", @progbits
        .p2align 3
        .quad   arch_switch - .
        .quad   .Ltext_end - .

        .section .note.GNU-stack, "", @progbits

/* The property note: IBT, but not SHSTK. */
        .section .note.gnu.property, "a", @note
        .p2align 3
        .long   4               // length of the name
        .long   16              // length of the properties
        .long   5               // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000002      // GNU_PROPERTY_X86_FEATURE_1_AND
        .long   4               // length of the value
        .long   1               // GNU_PROPERTY_X86_FEATURE_1_IBT
        .long   0               // padding to 8 bytes
