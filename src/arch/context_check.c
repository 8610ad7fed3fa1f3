/* SPDX-License-Identifier: MIT */
/* context_check.c: checks the assembler's offsets against the C struct; has no code. */
#include "arch/arch.h"

#include <stddef.h>

#define CHECK_OFFSET(field, offset)                                \
    _Static_assert(offsetof(struct arch_frame, field) == (offset), \
                   "switch.S and struct arch_frame disagree on " #field);

ARCH_FRAME_FIELDS(CHECK_OFFSET)

_Static_assert(sizeof(struct arch_frame) == ARCH_FRAME_SIZE,
               "switch.S and struct arch_frame disagree on the size of the frame");
_Static_assert(sizeof(struct arch_frame) % 16 == 0,
               "a prepared context would not begin with an aligned stack");
_Static_assert(offsetof(struct arch_context, sp) == 0,
               "switch.S takes the address of a context for that of its stack pointer");
