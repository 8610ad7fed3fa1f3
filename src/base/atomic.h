/* SPDX-License-Identifier: MIT */
/* The only door to atomic operations: the memory order is part of every name. */
#ifndef RT_BASE_ATOMIC_H
#define RT_BASE_ATOMIC_H

/*
 * Why a door. A simulation of the scheduler can replace this header by one in which every
 * operation is a point where another thread may be chosen to go on, and in which stores
 * sit in a store buffer until something flushes them. That only works if nothing goes
 * around it: scripts/check_atomics.sh.
 *
 * Every operation of another order than relaxed says at its place of use what it
 * publishes or must not miss, and which operation elsewhere is its partner. A relaxed one
 * says why that is enough.
 */
#include <stdatomic.h>
#include <stdint.h>

#define rt_atomic(type) _Atomic(type)

/* For memory that nobody else can see yet, and for memory whose owner is the only
   writer. */
#define rt_init(p, v) atomic_init(p, v)

#define rt_load_rlx(p) atomic_load_explicit(p, memory_order_relaxed)
#define rt_load_acq(p) atomic_load_explicit(p, memory_order_acquire)

#define rt_store_rlx(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define rt_store_rel(p, v) atomic_store_explicit(p, v, memory_order_release)

#define rt_swap_acqrel(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel)
#define rt_swap_sc(p, v)     atomic_exchange_explicit(p, v, memory_order_seq_cst)

#define rt_add_rlx(p, v)    atomic_fetch_add_explicit(p, v, memory_order_relaxed)
#define rt_add_acqrel(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel)
#define rt_add_sc(p, v)     atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define rt_sub_rlx(p, v)    atomic_fetch_sub_explicit(p, v, memory_order_relaxed)
#define rt_sub_acqrel(p, v) atomic_fetch_sub_explicit(p, v, memory_order_acq_rel)
#define rt_sub_sc(p, v)     atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define rt_or_sc(p, v)      atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define rt_or_acqrel(p, v)  atomic_fetch_or_explicit(p, v, memory_order_acq_rel)
#define rt_and_sc(p, v)     atomic_fetch_and_explicit(p, v, memory_order_seq_cst)
#define rt_and_acqrel(p, v) atomic_fetch_and_explicit(p, v, memory_order_acq_rel)

/* Compare and swap: true if *p was *expected and now is v; otherwise *expected is what *p
   was. */
#define rt_cas_acqrel(p, expected, v)                                             \
    atomic_compare_exchange_strong_explicit(p, expected, v, memory_order_acq_rel, \
                                            memory_order_acquire)
#define rt_cas_sc(p, expected, v)                                                 \
    atomic_compare_exchange_strong_explicit(p, expected, v, memory_order_seq_cst, \
                                            memory_order_seq_cst)

/* Orders a store before a later load of something else. No data is published by fences
   alone here, always by release and acquire: so ThreadSanitizer, which does not know
   fences and warns of them, misses nothing. */
static inline void rt_fence_sc(void) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
    atomic_thread_fence(memory_order_seq_cst);
#pragma GCC diagnostic pop
}

/* Keeps the compiler from moving memory accesses across; the processor still may. */
#define rt_fence_compiler() atomic_signal_fence(memory_order_seq_cst)

/* Tells the core that this thread is in a short wait loop. */
static inline void rt_cpu_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* The same for so many turns, some ten nanoseconds each. */
static inline void rt_cpu_relax_for(int turns) {
    for (int i = 0; i < turns; i++) {
        rt_cpu_relax();
    }
}

#endif
