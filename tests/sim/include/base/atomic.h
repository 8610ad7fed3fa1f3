/* SPDX-License-Identifier: MIT */
/* Replaces src/base/atomic.h in the simulation: every operation is a step at which another
   simulated thread may run. */
#ifndef RT_BASE_ATOMIC_H
#define RT_BASE_ATOMIC_H

/*
 * Names and meanings are those of src/base/atomic.h. An atomic variable is an ordinary one
 * here: all simulated threads run on one thread of the system, and only the sim_*()
 * functions access it. Arguments are evaluated once, before the step.
 */
#include "sim.h"

#include <stdint.h>

#define rt_atomic(type) __typeof__(type)

#define rt_init(p, v) ((void)(*(p) = (v)))

/* The value as sim.h's operations take it: no type is larger than eight bytes. */
#define SIM_BITS(p, v) ((uint64_t)(__typeof__(*(p)))(v))

#define SIM_LOAD(p, what) \
    ((__typeof__(*(p)))sim_load(SIM_SITE(what, #p), (p), sizeof *(p)))
#define SIM_STORE(p, v, order, what) \
    sim_store(SIM_SITE(what, #p), (p), sizeof *(p), SIM_BITS(p, v), order)
#define SIM_RMW(p, kind, v, order, what)                                        \
    ({                                                                          \
        __typeof__(*(p)) sim_was = (__typeof__(*(p)))sim_rmw(                   \
            SIM_SITE(what, #p), (p), sizeof *(p), kind, SIM_BITS(p, v), order); \
        sim_was;                                                                \
    })
#define SIM_CAS(p, expected, v, order, what)                                    \
    ({                                                                          \
        __auto_type sim_expected = (expected);                                  \
        uint64_t sim_old = SIM_BITS(p, *sim_expected);                          \
        bool sim_done = sim_cas(SIM_SITE(what, #p), (p), sizeof *(p), &sim_old, \
                                SIM_BITS(p, v), order);                         \
        if (!sim_done) {                                                        \
            *sim_expected = (__typeof__(*(p)))sim_old;                          \
        }                                                                       \
        sim_done;                                                               \
    })

#define rt_load_rlx(p) SIM_LOAD(p, "load_rlx")
#define rt_load_acq(p) SIM_LOAD(p, "load_acq")

#define rt_store_rlx(p, v) SIM_STORE(p, v, SIM_RELAXED, "store_rlx")
#define rt_store_rel(p, v) SIM_STORE(p, v, SIM_ORDERED, "store_rel")

#define rt_swap_rlx(p, v)    SIM_RMW(p, SIM_SWAP, v, SIM_RELAXED, "swap_rlx")
#define rt_swap_acqrel(p, v) SIM_RMW(p, SIM_SWAP, v, SIM_ORDERED, "swap_acqrel")
#define rt_swap_sc(p, v)     SIM_RMW(p, SIM_SWAP, v, SIM_ORDERED, "swap_sc")

#define rt_add_rlx(p, v)    SIM_RMW(p, SIM_ADD, v, SIM_RELAXED, "add_rlx")
#define rt_add_acqrel(p, v) SIM_RMW(p, SIM_ADD, v, SIM_ORDERED, "add_acqrel")
#define rt_add_sc(p, v)     SIM_RMW(p, SIM_ADD, v, SIM_ORDERED, "add_sc")
#define rt_sub_rlx(p, v)    SIM_RMW(p, SIM_SUB, v, SIM_RELAXED, "sub_rlx")
#define rt_sub_acqrel(p, v) SIM_RMW(p, SIM_SUB, v, SIM_ORDERED, "sub_acqrel")
#define rt_sub_sc(p, v)     SIM_RMW(p, SIM_SUB, v, SIM_ORDERED, "sub_sc")
#define rt_or_rlx(p, v)     SIM_RMW(p, SIM_OR, v, SIM_RELAXED, "or_rlx")
#define rt_or_acqrel(p, v)  SIM_RMW(p, SIM_OR, v, SIM_ORDERED, "or_acqrel")
#define rt_and_rlx(p, v)    SIM_RMW(p, SIM_AND, v, SIM_RELAXED, "and_rlx")
#define rt_and_acqrel(p, v) SIM_RMW(p, SIM_AND, v, SIM_ORDERED, "and_acqrel")

#define rt_cas_rlx(p, expected, v)    SIM_CAS(p, expected, v, SIM_RELAXED, "cas_rlx")
#define rt_cas_acqrel(p, expected, v) SIM_CAS(p, expected, v, SIM_ORDERED, "cas_acqrel")
#define rt_cas_sc(p, expected, v)     SIM_CAS(p, expected, v, SIM_ORDERED, "cas_sc")

#define rt_fence_sc() sim_fence(SIM_SITE("fence_sc", ""))

/* Empty: steps are calls, across which the compiler does not reorder shared accesses, and
   sim_store() delays what a processor may delay. */
#define rt_fence_compiler() ((void)0)

#define rt_cpu_relax() sim_relax(SIM_SITE("cpu_relax", ""))

/* One step is enough: others may run for any number of steps meanwhile. */
#define rt_cpu_relax_for(turns) ((void)(turns), rt_cpu_relax())

#endif
