/* SPDX-License-Identifier: MIT */
/* The simulated machine: threads are coroutines, and every operation that another thread
   can observe is a step. docs/design/simulation.md describes it. */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the sources where a step happens. Immutable. */
struct sim_site {
    const char *file;
    const char *function;
    const char *what;
    const char *operand;
    int line;
};

/* The linker collects all sites in an array. aligned: the compiler may align a large object
   more than an array does. */
#define SIM_SITE(what_text, operand_text)                                     \
    ({                                                                        \
        static const struct sim_site sim_site __attribute__((                 \
            section("sim_sites"), aligned(__alignof__(struct sim_site)))) = { \
            .file = __FILE__,                                                 \
            .function = __func__,                                             \
            .what = what_text,                                                \
            .operand = operand_text,                                          \
            .line = __LINE__,                                                 \
        };                                                                    \
        &sim_site;                                                            \
    })

/* Memory. p is aligned to its size of 1, 2, 4 or 8 bytes, and every access to it has the
   same size. */

enum sim_order {
    SIM_RELAXED,
    SIM_ORDERED, /* release, acquire, both, or sequentially consistent */
};

enum sim_rmw {
    SIM_SWAP,
    SIM_ADD,
    SIM_SUB,
    SIM_OR,
    SIM_AND,
};

uint64_t sim_load(const struct sim_site *site, const void *p, unsigned bytes);
void sim_store(const struct sim_site *site, void *p, unsigned bytes, uint64_t value,
               enum sim_order order);
uint64_t sim_rmw(const struct sim_site *site, void *p, unsigned bytes, enum sim_rmw kind,
                 uint64_t operand, enum sim_order order);
bool sim_cas(const struct sim_site *site, void *p, unsigned bytes, uint64_t *expected,
             uint64_t desired, enum sim_order order);
void sim_fence(const struct sim_site *site);

/* One iteration of a wait loop: the scheduler prefers other threads. */
void sim_relax(const struct sim_site *site);

/* Records where the next call of os.h is made. */
void sim_at(const struct sim_site *site);

/* The calling thread frees memory: no other thread may have a buffered store to it. */
void sim_memory_gone(const void *start, size_t bytes);

/* For scenarios. */

/* A step of the scenario's own: a scheduling point. */
#define sim_pause() sim_step(SIM_SITE("pause", ""))
void sim_step(const struct sim_site *site);

/* One iteration of the scenario's own wait loop. */
#define sim_spin() sim_relax(SIM_SITE("spin", ""))

/* Whether the program has a step in a function of that name. */
bool sim_site_exists(const char *function);

/* Ends the run as failed, with a report. */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define sim_check(condition)                                                     \
    do {                                                                         \
        if (!(condition)) {                                                      \
            sim_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

#endif
