/* SPDX-License-Identifier: MIT */
/* Stands before src/os/os.h in the simulation: the same functions, and each call leaves a
   note where it was made, for the report. */
#ifndef SIM_OS_H
#define SIM_OS_H

#include_next "os/os.h"
#include "sim.h"

/* What implements the functions cannot have them as macros. */
#ifndef SIM_OS_PLAIN
#define os_futex_wait(word, ...) \
    (sim_at(SIM_SITE("futex_wait", #word)), os_futex_wait(word, __VA_ARGS__))
#define os_futex_wake(word, ...) \
    (sim_at(SIM_SITE("futex_wake", #word)), os_futex_wake(word, __VA_ARGS__))
#define os_thread_start(thread, ...) \
    (sim_at(SIM_SITE("thread_start", #thread)), os_thread_start(thread, __VA_ARGS__))
#define os_thread_join(thread) \
    (sim_at(SIM_SITE("thread_join", #thread)), os_thread_join(thread))
#define os_thread_try_join(thread) \
    (sim_at(SIM_SITE("thread_try_join", #thread)), os_thread_try_join(thread))
#define os_thread_yield() (sim_at(SIM_SITE("thread_yield", "")), os_thread_yield())
#define os_thread_cpu(number) \
    (sim_at(SIM_SITE("thread_cpu", #number)), os_thread_cpu(number))
#define os_thread_look(number) \
    (sim_at(SIM_SITE("thread_look", #number)), os_thread_look(number))
#define os_thread_interrupt(number) \
    (sim_at(SIM_SITE("interrupt", #number)), os_thread_interrupt(number))
#define os_now()                 (sim_at(SIM_SITE("now", "")), os_now())
#define os_release(start, bytes) (sim_memory_gone(start, bytes), os_release(start, bytes))
#define os_fence_all_threads() \
    (sim_at(SIM_SITE("membarrier", "")), os_fence_all_threads())
#endif

#endif
