/* SPDX-License-Identifier: MIT */
/* Fault injection: lets tests fail allocations and the calls of os.h marked [fault]. */
#ifndef RT_OS_FAULT_H
#define RT_OS_FAULT_H

#include "base/compiler.h"

enum os_fault_kind {
#define OS_FAULT_KIND(name, error, where) OS_FAULT_##name,
#include "os/faults.def"
#undef OS_FAULT_KIND
    OS_FAULT_KINDS
};

/* Called at each such place, on any thread. A positive errno value makes the call fail
   with that error; 0 lets it proceed. NULL outside of tests. Written only while the
   runtime is not running. */
typedef int os_fault_fn(enum os_fault_kind kind);
RT_EXTERN os_fault_fn *os_fault_hook;

/* Never called on the paths without a system call: spawning, switching, waking a thread
   that is awake. */
static inline int os_fault(enum os_fault_kind kind) {
    return unlikely(os_fault_hook != NULL) ? os_fault_hook(kind) : 0;
}

#endif
