/* SPDX-License-Identifier: MIT */
/* Fault injection: tests make the calls of os.h marked [fault], and allocations, fail at
   will. */
#ifndef RT_OS_FAULT_H
#define RT_OS_FAULT_H

#include "base/compiler.h"

enum os_fault_kind {
#define OS_FAULT_KIND(name, error, where) OS_FAULT_##name,
#include "os/faults.def"
#undef OS_FAULT_KIND
    OS_FAULT_KINDS
};

/* Asked at the place of each such call, on any thread; a positive errno value makes it
   fail with that, 0 lets it through. NULL, as it is outside of tests, lets all through.
   Set while the runtime is not running. */
typedef int os_fault_fn(enum os_fault_kind kind);
extern os_fault_fn *os_fault_hook;

/* Never on the paths that do without the kernel: spawning, switching, waking a thread
   that is awake. */
static inline int os_fault(enum os_fault_kind kind) {
    return unlikely(os_fault_hook != NULL) ? os_fault_hook(kind) : 0;
}

#endif
