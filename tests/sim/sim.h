/* SPDX-License-Identifier: MIT */
/* The simulated machine: threads that are coroutines, and a step at everything that one
   of them can notice of another. docs/design/simulation.md is the essay. */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the sources where a step is made. Immutable. */
struct sim_site {
    const char *file;
    const char *function;
    const char *what;
    const char *operand;
    int line;
};

#define SIM_SITE(what_text, operand_text)         \
    ({                                            \
        static const struct sim_site sim_site = { \
            .file = __FILE__,                     \
            .function = __func__,                 \
            .what = what_text,                    \
            .operand = operand_text,              \
            .line = __LINE__,                     \
        };                                        \
        &sim_site;                                \
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

/* The calling thread turns in a wait loop: others go first. */
void sim_relax(const struct sim_site *site);

/* The next call of os.h is made here. */
void sim_at(const struct sim_site *site);

/* The calling thread gives memory back: nobody may have a store to it on its way. */
void sim_memory_gone(const void *start, size_t bytes);

/* For the programs that are run on it. */

/* A step of the program's own: others may go on here. */
#define sim_pause() sim_step(SIM_SITE("pause", ""))
void sim_step(const struct sim_site *site);

/* A turn of the program's own wait loop. */
#define sim_spin() sim_relax(SIM_SITE("spin", ""))

/* Ends the run as failed, with a report. */
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define sim_check(condition)                                                     \
    do {                                                                         \
        if (!(condition)) {                                                      \
            sim_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
        }                                                                        \
    } while (0)

#endif
