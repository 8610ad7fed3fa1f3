/* SPDX-License-Identifier: MIT */
/* Fault injection: tests make the calls of os.h marked [fault], and allocations, fail at
   will. */
#ifndef RT_OS_FAULT_H
#define RT_OS_FAULT_H

#include "base/compiler.h"

enum os_fault_kind {
    OS_FAULT_THREAD,  /* os_thread_start */
    OS_FAULT_RESERVE, /* os_reserve */
    OS_FAULT_GUARD,   /* os_guard_install */
    OS_FAULT_PROTECT, /* os_protect_none */
    OS_FAULT_ALLOC,   /* rt_alloc */
    OS_FAULT_KINDS
};

/* Asked before each such call; a positive errno value makes the call fail with it, 0 lets
   it through. NULL, as it is outside of tests, lets all through. Set while the runtime is
   not running. */
typedef int os_fault_fn(enum os_fault_kind kind);
extern os_fault_fn *os_fault_hook;

static inline int os_fault(enum os_fault_kind kind) {
    return unlikely(os_fault_hook != NULL) ? os_fault_hook(kind) : 0;
}

#endif
