/* SPDX-License-Identifier: MIT */
/* aarch64/switch.S: stack switches on 64-bit Arm, AAPCS64. The contract is in ../arch.h.
 *
 * A suspended context, from the address in arch_context.sp upwards:
 *
 *     +168   unused
 *     +160   FPCR
 *      +96   d8 to d15         the low halves of v8 to v15; calls clobber the others
 *      +88   x30               return address, or arch_context_begin
 *      +80   x29
 *      +16   x21 to x28
 *       +8   x20               in a new context: the argument of its entry function
 *  sp:  +0   x19               in a new context: its entry function
 *
 * The frame has the same layout on the old stack and on the new stack. So one set of CFI
 * rules holds before and after the stack pointer changes, and a debugger can unwind from
 * every instruction: up the old stack before the change, up the new one after it.
 *
 * Branch target identification (BTI): functions begin with bti c, written as a hint so
 * that every assembler accepts it. A jump to one goes through x16, which bti c accepts.
 * Every return is a ret, which needs no landing pad. Return addresses are not signed here,
 * and guarded control stacks (GCS) are not switched: the property note at the end names
 * BTI only.
 */
#include "context.h"

#define BTI_C hint #34

        .text

/* void arch_switch(struct arch_context *save,             x0
 *                  const struct arch_context *load,       x1
 *                  arch_then *then,                       x2
 *                  void *arg);                            x3
 *
 * then may publish the suspended context to another thread, which may resume it at once.
 * After the call of then, *save and the old stack belong to that thread and must not be
 * read. This code does not read them at all after the save.
 */
        .globl  arch_switch
        .hidden arch_switch
        .type   arch_switch, %function
        .p2align 6
arch_switch:
        .cfi_startproc
        BTI_C

        /* Suspend the caller. */
        sub     sp, sp, #ARCH_FRAME_SIZE
        .cfi_def_cfa_offset ARCH_FRAME_SIZE
        stp     x19, x20, [sp, #ARCH_FRAME_X19]
        stp     x21, x22, [sp, #ARCH_FRAME_X21]
        stp     x23, x24, [sp, #ARCH_FRAME_X23]
        stp     x25, x26, [sp, #ARCH_FRAME_X25]
        stp     x27, x28, [sp, #ARCH_FRAME_X27]
        stp     x29, x30, [sp, #ARCH_FRAME_X29]
        stp     d8, d9, [sp, #ARCH_FRAME_D8]
        stp     d10, d11, [sp, #ARCH_FRAME_D10]
        stp     d12, d13, [sp, #ARCH_FRAME_D12]
        stp     d14, d15, [sp, #ARCH_FRAME_D14]
        mrs     x4, fpcr
        str     x4, [sp, #ARCH_FRAME_FPCR]
        .cfi_rel_offset x19, ARCH_FRAME_X19
        .cfi_rel_offset x20, ARCH_FRAME_X20
        .cfi_rel_offset x21, ARCH_FRAME_X21
        .cfi_rel_offset x22, ARCH_FRAME_X22
        .cfi_rel_offset x23, ARCH_FRAME_X23
        .cfi_rel_offset x24, ARCH_FRAME_X24
        .cfi_rel_offset x25, ARCH_FRAME_X25
        .cfi_rel_offset x26, ARCH_FRAME_X26
        .cfi_rel_offset x27, ARCH_FRAME_X27
        .cfi_rel_offset x28, ARCH_FRAME_X28
        .cfi_rel_offset x29, ARCH_FRAME_X29
        .cfi_rel_offset x30, ARCH_FRAME_X30
        .cfi_rel_offset d8, ARCH_FRAME_D8
        .cfi_rel_offset d9, ARCH_FRAME_D9
        .cfi_rel_offset d10, ARCH_FRAME_D10
        .cfi_rel_offset d11, ARCH_FRAME_D11
        .cfi_rel_offset d12, ARCH_FRAME_D12
        .cfi_rel_offset d13, ARCH_FRAME_D13
        .cfi_rel_offset d14, ARCH_FRAME_D14
        .cfi_rel_offset d15, ARCH_FRAME_D15

        /* Change stacks. Save before load, because both may be the same context. */
        mov     x5, sp
        str     x5, [x0]
        ldr     x5, [x1]
        mov     sp, x5

        /* Load the control register only if it differs: the write is slow. */
        ldr     x5, [sp, #ARCH_FRAME_FPCR]
        cmp     x4, x5
        b.ne    .Lload_fpcr
.Lresume:
        /* Load the registers. */
        ldp     d14, d15, [sp, #ARCH_FRAME_D14]
        ldp     d12, d13, [sp, #ARCH_FRAME_D12]
        ldp     d10, d11, [sp, #ARCH_FRAME_D10]
        ldp     d8, d9, [sp, #ARCH_FRAME_D8]
        ldp     x29, x30, [sp, #ARCH_FRAME_X29]
        ldp     x27, x28, [sp, #ARCH_FRAME_X27]
        ldp     x25, x26, [sp, #ARCH_FRAME_X25]
        ldp     x23, x24, [sp, #ARCH_FRAME_X23]
        ldp     x21, x22, [sp, #ARCH_FRAME_X21]
        ldp     x19, x20, [sp, #ARCH_FRAME_X19]
        .cfi_remember_state
        .cfi_restore x19
        .cfi_restore x20
        .cfi_restore x21
        .cfi_restore x22
        .cfi_restore x23
        .cfi_restore x24
        .cfi_restore x25
        .cfi_restore x26
        .cfi_restore x27
        .cfi_restore x28
        .cfi_restore x29
        .cfi_restore x30
        .cfi_restore d8
        .cfi_restore d9
        .cfi_restore d10
        .cfi_restore d11
        .cfi_restore d12
        .cfi_restore d13
        .cfi_restore d14
        .cfi_restore d15
        add     sp, sp, #ARCH_FRAME_SIZE
        .cfi_def_cfa_offset 0

        /* Call then by a jump: its ret returns to the context's caller. */
        mov     x0, x3
        mov     x16, x2
        br      x16

.Lload_fpcr:
        .cfi_restore_state
        msr     fpcr, x5
        b       .Lresume
        .cfi_endproc
        .size   arch_switch, . - arch_switch

/* The start of a new context: x19 = entry, x20 = arg, x29 = 0, sp = top of the stack, a
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
        .type   arch_context_start, %function
        .p2align 5
arch_context_start:
        .cfi_startproc
        .cfi_undefined x30
        nop
arch_context_begin:
        mov     x0, x20
        blr     x19
        brk     #1
        .cfi_endproc
        .size   arch_context_start, . - arch_context_start

/* _Noreturn void arch_context_enter(void *stack_top,            x0
 *                                   void (*entry)(void *arg),   x1
 *                                   void *arg);                 x2
 */
        .globl  arch_context_enter
        .hidden arch_context_enter
        .type   arch_context_enter, %function
        .p2align 4
arch_context_enter:
        .cfi_startproc
        BTI_C
        /* From here on the new frames may overwrite the caller's. */
        and     x0, x0, #-16
        mov     sp, x0
        .cfi_undefined x30

        /* The registers that arch_context_begin expects. */
        mov     x19, x1
        mov     x20, x2
        mov     x29, #0
        b       arch_context_begin
        .cfi_endproc
        .size   arch_context_enter, . - arch_context_enter

/* void *arch_call_on(void *stack_top, void *(*fn)(void *arg), void *arg);
 *                    x0               x1                      x2
 *
 *      the caller's stack              the other stack
 *
 *      x30 of the caller               (stack_top, rounded down)
 *      x29 of the caller  <- x29       frames of fn
 */
        .globl  arch_call_on
        .hidden arch_call_on
        .type   arch_call_on, %function
        .p2align 4
arch_call_on:
        .cfi_startproc
        /* Debuggers take a caller at a lower address than its callee for a corrupt stack,
           unless one of the two is marked as a signal frame. */
        .cfi_signal_frame
        BTI_C
        /* The frame pointer leads back to the caller's stack, for us and for unwinders. */
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        .cfi_def_cfa_register x29

        and     x3, x0, #-16
        mov     sp, x3
        mov     x0, x2
        blr     x1

        /* The result is in x0 already. */
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   arch_call_on, . - arch_call_on

/* The address range of this file's code, for base/text.h. */
.Ltext_end:
        .section rt_text, "a", %progbits
        .p2align 3
        .quad   arch_switch - .
        .quad   .Ltext_end - .

        .section .note.GNU-stack, "", %progbits

/* The property note: BTI, but neither PAC nor GCS. */
        .section .note.gnu.property, "a", %note
        .p2align 3
        .long   4               // length of the name
        .long   16              // length of the properties
        .long   5               // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .long   0xc0000000      // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .long   4               // length of the value
        .long   1               // GNU_PROPERTY_AARCH64_FEATURE_1_BTI
        .long   0               // padding to 8 bytes
