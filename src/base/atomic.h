/* SPDX-License-Identifier: MIT */
/* The only file that names atomic operations; each name states the memory order. */
#ifndef RT_BASE_ATOMIC_H
#define RT_BASE_ATOMIC_H

/*
 * Why one header. The simulation replaces it with one in which every operation is a
 * scheduling point and stores stay in a store buffer until they are flushed. That works
 * only if no code bypasses this header: scripts/check_atomics.sh.
 *
 * Every use that is not relaxed has a comment that says what it publishes or must not
 * miss, and names its partner. A relaxed use says why relaxed is enough.
 */
#include <stdatomic.h>
#include <stdint.h>

#define rt_atomic(type) _Atomic(type)

/* For memory that no other thread can see yet, and for memory that only its owner
   writes. */
#define rt_init(p, v) atomic_init(p, v)

#define rt_load_rlx(p) atomic_load_explicit(p, memory_order_relaxed)
#define rt_load_acq(p) atomic_load_explicit(p, memory_order_acquire)

#define rt_store_rlx(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define rt_store_rel(p, v) atomic_store_explicit(p, v, memory_order_release)

#define rt_swap_rlx(p, v)    atomic_exchange_explicit(p, v, memory_order_relaxed)
#define rt_swap_acqrel(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel)
#define rt_swap_sc(p, v)     atomic_exchange_explicit(p, v, memory_order_seq_cst)

#define rt_add_rlx(p, v)    atomic_fetch_add_explicit(p, v, memory_order_relaxed)
#define rt_add_acqrel(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel)
#define rt_add_sc(p, v)     atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define rt_sub_rlx(p, v)    atomic_fetch_sub_explicit(p, v, memory_order_relaxed)
#define rt_sub_acqrel(p, v) atomic_fetch_sub_explicit(p, v, memory_order_acq_rel)
#define rt_sub_sc(p, v)     atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define rt_or_rlx(p, v)     atomic_fetch_or_explicit(p, v, memory_order_relaxed)
#define rt_or_acqrel(p, v)  atomic_fetch_or_explicit(p, v, memory_order_acq_rel)
#define rt_and_rlx(p, v)    atomic_fetch_and_explicit(p, v, memory_order_relaxed)
#define rt_and_acqrel(p, v) atomic_fetch_and_explicit(p, v, memory_order_acq_rel)

/* Compare and swap. Returns true if *p was *expected and is now v; otherwise stores the
   value of *p in *expected. */
#define rt_cas_rlx(p, expected, v)                                                \
    atomic_compare_exchange_strong_explicit(p, expected, v, memory_order_relaxed, \
                                            memory_order_relaxed)
#define rt_cas_acqrel(p, expected, v)                                             \
    atomic_compare_exchange_strong_explicit(p, expected, v, memory_order_acq_rel, \
                                            memory_order_acquire)
#define rt_cas_sc(p, expected, v)                                                 \
    atomic_compare_exchange_strong_explicit(p, expected, v, memory_order_seq_cst, \
                                            memory_order_seq_cst)

/* Orders a store before a later load of another location. Fences here never publish data
   by themselves; release and acquire do. So ThreadSanitizer, which does not support
   fences and warns about them, misses nothing. */
static inline void rt_fence_sc(void) {
#pragma GCC diagnostic push
#ifndef __clang__ /* clang has no such warning and does not know its name */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
#endif
    atomic_thread_fence(memory_order_seq_cst);
#pragma GCC diagnostic pop
}

/* Keeps the compiler from reordering memory accesses across it; the CPU still may. */
#define rt_fence_compiler() atomic_signal_fence(memory_order_seq_cst)

/* Spin-wait hint to the CPU. */
static inline void rt_cpu_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* turns spin-wait hints, about 10 ns each. */
static inline void rt_cpu_relax_for(int turns) {
    for (int i = 0; i < turns; i++) {
        rt_cpu_relax();
    }
}

#endif
