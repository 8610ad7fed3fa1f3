/* SPDX-License-Identifier: MIT */
/* Simulated memory: stores wait in their thread's buffer before other threads see them. */
#include "machine.h"
#include "explore.h"

#include <string.h>

/*
 * A store is appended to its thread's buffer and drains to memory at a later, random step.
 * A load reads the thread's own buffer first, then memory; loads are never delayed. A
 * read-modify-write, a fence, a system call and the end of the thread first drain the
 * buffer; os_fence_all_threads() drains all buffers.
 *
 * TSO: stores drain in order, as on x86-64. Weak: a relaxed store may overtake others, but
 * not one to the same place, and a release store overtakes none; a relaxed
 * read-modify-write does not drain the buffer. Of what C11 and aarch64 allow, the
 * reordering of loads is missing.
 *
 * When memory is freed, no other thread may have a buffered store to it. The freeing
 * thread's own stores drain first, as they would on a processor, which does not know about
 * the reuse of an address.
 *
 * Non-atomic data is visible at once. A reader of such data is behind an acquire, and the
 * release that it pairs with becomes visible later than the data in any case.
 */

/* No store stays buffered for longer. In a search stores do not drain at random: nearly
   all are visible at once, and the others after at most this many steps. */
#define AGE_MAX_STEPS        8192
#define AGE_CHECK            1024
#define AGE_MAX_STEPS_SEARCH 256

#define AFTER_CHANCE 16

static uint32_t drain_chance; /* inverse probability per step; fixed for the run */

void sim_memory_begin(void) {
    static const uint32_t chances[] = {2, 8, 64, 1024};
    drain_chance = chances[sim_any(4)];
}

static uint64_t read_memory(const void *p, unsigned bytes) {
    uint64_t value = 0;
    memcpy(&value, p, bytes); /* both supported processors are little-endian */
    return value;
}

static void write_memory(const struct sim_site *site, void *p, unsigned bytes,
                         uint64_t value) {
    memcpy(p, &value, bytes);
    if (sim.on_write != NULL) {
        sim.on_write(p, site);
    }
}

static void drain(struct sim_thread *t, int i) {
    struct sim_stored stored = t->stores[i];
    t->stores_count--;
    sim.stored_count--;
    memmove(&t->stores[i], &t->stores[i + 1],
            (size_t)(t->stores_count - i) * sizeof t->stores[0]);
    write_memory(stored.site, stored.p, stored.bytes, stored.value);
    sim_trace_seen(t, &stored);
}

void sim_memory_flush(struct sim_thread *t) {
    while (t->stores_count > 0) {
        drain(t, 0);
    }
}

void sim_memory_flush_all(void) {
    for (int i = 0; i < sim.threads_end; i++) {
        sim_memory_flush(&sim.threads[i]);
    }
}

void sim_memory_gone(const void *start, size_t bytes) {
    sim_memory_flush(sim.self);
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        for (int n = 0; n < t->stores_count; n++) {
            if ((uintptr_t)t->stores[n].p - (uintptr_t)start < bytes) {
                sim_fail(
                    "thread %d has stored to memory that thread %d gives back: %s in "
                    "%s",
                    t->id, sim.self->id, t->stores[n].site->operand,
                    t->stores[n].site->function);
            }
        }
    }
}

/* Whether store i may become visible before the stores in front of it. */
static bool may_overtake(const struct sim_thread *t, int i) {
    if (t->stores[i].order != SIM_RELAXED) {
        return false;
    }
    for (int before = 0; before < i; before++) {
        if (t->stores[before].p == t->stores[i].p) {
            return false;
        }
    }
    return true;
}

static void drain_any(struct sim_thread *t) {
    int i = 0;
    if (sim.options.model == SIM_MODEL_WEAK) {
        i = (int)sim_any((uint32_t)t->stores_count);
        i = may_overtake(t, i) ? i : 0;
    }
    drain(t, i);
}

static struct sim_thread *any_with_stores(void) {
    int start = (int)sim_any((uint32_t)sim.threads_end);
    for (int n = 0; n < sim.threads_end; n++) {
        struct sim_thread *t = &sim.threads[(start + n) % sim.threads_end];
        if (t->stores_count > 0) {
            return t;
        }
    }
    return NULL;
}

static void drain_old(void) {
    uint64_t age_max = sim_exploring() ? AGE_MAX_STEPS_SEARCH : AGE_MAX_STEPS;
    for (int i = 0; i < sim.threads_end; i++) {
        struct sim_thread *t = &sim.threads[i];
        while (t->stores_count > 0 && sim.steps - t->stores[0].born > age_max) {
            drain(t, 0);
        }
    }
}

void sim_memory_step(void) {
    if (sim.stored_count == 0) {
        return;
    }
    if (sim_chance(drain_chance)) {
        drain_any(any_with_stores());
    }
    if (sim_exploring() || sim.steps % AGE_CHECK == 0) {
        drain_old();
    }
}

/* The newest store to p in the running thread's buffer, or NULL. */
static const struct sim_stored *own_store(const void *p) {
    const struct sim_thread *t = sim.self;
    for (int i = t->stores_count - 1; i >= 0; i--) {
        if (t->stores[i].p == p) {
            return &t->stores[i];
        }
    }
    return NULL;
}

/* The step of an access to p. */
static void access(const struct sim_site *site, const void *p, bool writes) {
    sim.operand = p;
    sim_step(site);
    sim.operand = NULL;
    sim_explore_touch(p, writes);
}

/* Sometimes adds a scheduling point right after an operation, before the thread touches
   non-atomic data that it has just handed over. */
static void afterwards(void) {
    if (!sim.quiet && sim_chance(AFTER_CHANCE)) {
        sim_step(SIM_SITE("after it", ""));
    }
}

uint64_t sim_load_own(const void *p, unsigned bytes) {
    const struct sim_stored *own = own_store(p);
    return own != NULL ? own->value : read_memory(p, bytes);
}

uint64_t sim_load(const struct sim_site *site, const void *p, unsigned bytes) {
    access(site, p, false);
    uint64_t value = sim.quiet ? read_memory(p, bytes) : sim_load_own(p, bytes);
    sim_trace_value(value);
    return value;
}

/* Whether other threads see a store at once. */
static bool seen_at_once(const void *p, enum sim_order order) {
    if (sim.options.model == SIM_MODEL_SC || sim.quiet) {
        return true;
    }
    if (!sim_exploring()) {
        return false;
    }
    if (sim.self->stores_count > 0) {
        /* Behind the delayed stores, or overtaking them. */
        return sim.options.model == SIM_MODEL_WEAK && order == SIM_RELAXED &&
               own_store(p) == NULL;
    }
    return !sim_explore_shared(p) || !sim_explore_deviates(SIM_DEVIATE_STORE);
}

static void buffer(const struct sim_stored *stored) {
    struct sim_thread *t = sim.self;
    if (t->stores_count == SIM_BUFFER_STORES) {
        drain(t, 0);
    }
    t->stores[t->stores_count++] = *stored;
    sim.stored_count++;
}

void sim_store(const struct sim_site *site, void *p, unsigned bytes, uint64_t value,
               enum sim_order order) {
    access(site, p, true);
    sim_trace_value(value);
    if (sim.on_store != NULL) {
        sim.on_store(p, value);
    }
    if (seen_at_once(p, order)) {
        write_memory(site, p, bytes, value);
        afterwards();
        return;
    }
    /* The bits that memory would return. */
    uint64_t mask = bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << bytes * 8) - 1;
    buffer(&(struct sim_stored){
        .p = p,
        .value = value & mask,
        .born = sim.steps,
        .site = site,
        .bytes = bytes,
        .order = order,
    });
    afterwards();
}

static void flush_for_rmw(const void *p, enum sim_order order) {
    if (order != SIM_RELAXED || sim.options.model != SIM_MODEL_WEAK ||
        own_store(p) != NULL) {
        sim_memory_flush(sim.self);
    }
}

uint64_t sim_rmw(const struct sim_site *site, void *p, unsigned bytes, enum sim_rmw kind,
                 uint64_t operand, enum sim_order order) {
    access(site, p, true);
    flush_for_rmw(p, order);
    uint64_t old = read_memory(p, bytes);
    uint64_t value = operand;
    switch (kind) {
    case SIM_SWAP: break;
    case SIM_ADD: value = old + operand; break;
    case SIM_SUB: value = old - operand; break;
    case SIM_OR: value = old | operand; break;
    case SIM_AND: value = old & operand; break;
    }
    write_memory(site, p, bytes, value);
    sim_trace_value(read_memory(p, bytes));
    afterwards();
    return old;
}

bool sim_cas(const struct sim_site *site, void *p, unsigned bytes, uint64_t *expected,
             uint64_t desired, enum sim_order order) {
    access(site, p, true);
    flush_for_rmw(p, order);
    uint64_t old = read_memory(p, bytes);
    uint64_t wanted = 0;
    memcpy(&wanted, expected, bytes);
    if (old == wanted) {
        write_memory(site, p, bytes, desired);
    } else {
        *expected = old;
    }
    sim_trace_value(read_memory(p, bytes));
    afterwards();
    return old == wanted;
}

void sim_fence(const struct sim_site *site) {
    sim_step(site);
    sim_memory_flush(sim.self);
}
