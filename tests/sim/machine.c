/* SPDX-License-Identifier: MIT */
/* Simulated threads: how they start, sleep and take turns, and how time passes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "machine.h"
#include "explore.h"
#include "progress.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * One thread of the system runs everything. A simulated thread is a context of arch.h that
 * is suspended and resumed in the middle of a step. The runtime switches goroutines inside
 * a simulated thread with the same arch_switch(), so a simulated thread may be suspended
 * on any goroutine's stack; the simulated thread is what is resumed.
 *
 * Thread-locals. The program has one TLS block, laid out by the linker; the C library's
 * thread-locals are elsewhere. The machine swaps the block's contents when it switches
 * threads.
 */

struct sim_machine sim;

static struct {
    struct arch_context ctx; /* the caller of sim_run() */
    char *tls;
    size_t tls_bytes;
    char tls_initial[SIM_TLS_BYTES];
} root;

/* Failure */

static void print_threads(void) {
    static const char *const states[] = {"free", "runnable", "asleep", "ended"};
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        if (t->state == SIM_FREE) {
            continue;
        }
        fprintf(stderr, "  thread %-3d %-13s %-8s %8llu steps", t->id, t->name,
                states[t->state], (unsigned long long)t->steps);
        if (t->site != NULL) {
            fprintf(stderr, "  %s %s in %s", t->site->what, t->site->operand,
                    t->site->function);
        }
        if (t->state == SIM_ASLEEP && t->deadline_ns != SIM_NEVER) {
            fprintf(stderr, ", for %lld ns", (long long)(t->deadline_ns - sim.now_ns));
        }
        if (t->stores_count > 0) {
            fprintf(stderr, ", %d stores not seen yet", t->stores_count);
        }
        fprintf(stderr, "\n");
    }
}

void sim_fail(const char *format, ...) {
    const struct sim_options *o = &sim.options;
    va_list args;
    sim_progress_clear();
    fprintf(stderr, "FAILED: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr,
            "\nafter %llu steps, at %lld ns\nagain: tests/sim/run --scenario %s --seed "
            "%llu%s",
            (unsigned long long)sim.steps, (long long)sim.now_ns, o->scenario,
            (unsigned long long)o->seed, o->given);
    sim_explore_print();
    fprintf(stderr, "\n%s\n", sim_strategy_text());
    print_threads();
    sim_trace_print();
    _exit(1);
}

/* The set of runnable threads */

static void runnable_add(struct sim_thread *t) {
    t->state = SIM_RUNNABLE;
    t->last_step = sim.steps;
    t->steps_woken = t->steps;
    t->place = sim.runnable_count;
    sim.runnable[sim.runnable_count++] = t;
    sim_strategy_changed();
}

/* The running thread is about to sleep or to exit. */
static void runnable_remove(struct sim_thread *t, enum sim_state state) {
    if (sim.on_sleep != NULL) {
        sim.on_sleep();
    }
    struct sim_thread *last = sim.runnable[--sim.runnable_count];
    sim.runnable[t->place] = last;
    last->place = t->place;
    t->state = state;
    sim_strategy_changed();
}

/* Turns */

static void arrived(void *unused) {
    (void)unused;
}

static void switch_to(struct sim_thread *t) {
    struct sim_thread *from = sim.self;
    if (t == from) {
        return;
    }
    if (sim.on_turn != NULL) {
        sim.quiet = true;
        sim.on_turn();
        sim.quiet = false;
    }
    memcpy(from->tls, root.tls, root.tls_bytes);
    memcpy(root.tls, t->tls, root.tls_bytes);
    sim.self = t;
    arch_switch(&from->ctx, &t->ctx, arrived, NULL);
}

/* Time */

static void expire(void) {
    int64_t next = SIM_NEVER;
    for (int i = 0; i < sim.threads_end; i++) {
        struct sim_thread *t = &sim.threads[i];
        if (t->state != SIM_ASLEEP) {
            continue;
        }
        if (t->deadline_ns <= sim.now_ns) {
            t->timed_out = true;
            runnable_add(t);
        } else if (t->deadline_ns < next) {
            next = t->deadline_ns;
        }
    }
    sim.next_deadline_ns = next;
}

static void pass_time(int64_t ns) {
    sim.now_ns += ns;
    if (sim.now_ns >= sim.next_deadline_ns) {
        expire();
    }
}

/* No thread can run before the next deadline: advances the clock to it. */
static void jump(void) {
    if (sim.next_deadline_ns == SIM_NEVER) {
        return;
    }
    if (sim.now_ns < sim.next_deadline_ns) {
        sim.now_ns = sim.next_deadline_ns;
    }
    expire();
}

/* Gives the turn away. The caller is not runnable. */
static void leave(void) {
    if (sim.runnable_count == 0 && sim.on_all_asleep != NULL) {
        sim.quiet = true;
        sim.on_all_asleep();
        sim.quiet = false;
    }
    while (sim.runnable_count == 0) {
        /* next_deadline_ns may belong to a thread that has been woken since. */
        jump();
        if (sim.runnable_count == 0 && sim.next_deadline_ns == SIM_NEVER) {
            sim_fail("lost wake-up: every thread sleeps, and none has a deadline");
        }
    }
    switch_to(sim_strategy_choose(false));
}

/* Signals */

/* A pending signal arrives with probability 1/SIGNAL_CHANCE per step. */
#define SIGNAL_CHANCE 4

void sim_compute(bool computes) {
    sim.computing += computes - sim.self->computes;
    sim.self->computes = computes;
}

/* Runs on the thread itself. It may sleep in the handler, so it does not count as
   computing meanwhile. */
static void take_signals(struct sim_thread *t) {
    uint32_t signals = t->signals_pending & ~t->signals_blocked;
    if (signals == 0) {
        return;
    }
    bool computes = t->computes;
    sim_compute(false);
    while (signals != 0) {
        int number = __builtin_ctz(signals);
        uint32_t blocked = t->signals_blocked;
        t->signals_pending &= ~(UINT32_C(1) << number);
        t->signals_blocked = ~UINT32_C(0);
        sim.signal_handler(number);
        t->signals_blocked = blocked;
        signals = t->signals_pending & ~blocked;
    }
    sim_compute(computes);
}

static bool signals_arrive(const struct sim_thread *t) {
    return (t->signals_pending & ~t->signals_blocked) != 0 &&
           (sim_exploring() || sim_chance(SIGNAL_CHANCE));
}

void sim_signal(struct sim_thread *t, int number) {
    t->signals_pending |= UINT32_C(1) << number;
    bool wakes = (t->signals_pending & ~t->signals_blocked) != 0;
    if (wakes && t->state == SIM_ASLEEP && t->word != NULL) {
        sim_wake(t);
    }
}

uint32_t sim_signal_block(uint32_t signals) {
    uint32_t before = sim.self->signals_blocked;
    sim.self->signals_blocked = signals;
    take_signals(sim.self);
    return before;
}

/* Steps */

extern const struct sim_site __start_sim_sites[];
extern const struct sim_site __stop_sim_sites[];

bool sim_site_exists(const char *function) {
    const struct sim_site *site = __start_sim_sites;
    while (site < __stop_sim_sites && strcmp(site->function, function) != 0) {
        site++;
    }
    return site < __stop_sim_sites;
}

/* Time jumps with this inverse probability although threads are runnable: as if all of
   them waited for a CPU. */
#define JUMP_CHANCE 16384

static void step(const struct sim_site *site, int64_t ns, bool relaxed) {
    struct sim_thread *t = sim.self;
    t->site = site;
    t->steps++;
    if (++sim.steps > sim.options.steps_max) {
        sim_fail("no end: more steps than --steps allows");
    }
    if (sim.on_step != NULL) {
        sim.on_step();
    }
    pass_time(ns);
    if (!sim.steady && sim_chance(JUMP_CHANCE)) {
        jump();
    }
    sim_memory_step();
    switch_to(sim_strategy_choose(relaxed));
    if (t->signals_pending != 0 && signals_arrive(t)) {
        take_signals(t);
        t->site = site;
    }
    sim_trace_step(t, site);
}

void sim_step(const struct sim_site *site) {
    if (!sim.quiet) {
        step(site, SIM_STEP_NS, false);
    }
}

void sim_relax(const struct sim_site *site) {
    if (!sim.quiet) {
        step(site, SIM_RELAX_NS, true);
    }
}

void sim_at(const struct sim_site *site) {
    sim.self->site = site;
}

/* Sleeping */

bool sim_sleep_until(int64_t deadline_ns) {
    struct sim_thread *t = sim.self;
    sim_memory_flush(t);
    t->timed_out = false;
    t->deadline_ns = deadline_ns;
    if (deadline_ns <= sim.now_ns) {
        return false;
    }
    if (t->word != NULL && (t->signals_pending & ~t->signals_blocked) != 0) {
        t->word = NULL;
        take_signals(t);
        return true;
    }
    if (deadline_ns < sim.next_deadline_ns) {
        sim.next_deadline_ns = deadline_ns;
    }
    runnable_remove(t, SIM_ASLEEP);
    leave();
    t->word = NULL;
    t->joined = NULL;
    bool woken = !t->timed_out;
    take_signals(t);
    return woken;
}

void sim_wake(struct sim_thread *t) {
    runnable_add(t);
}

void sim_wake_word(const void *word, int count) {
    struct sim_thread *sleepers[SIM_THREADS_MAX];
    int n = 0;
    for (int i = 0; i < sim.threads_end; i++) {
        struct sim_thread *t = &sim.threads[i];
        if (t->state == SIM_ASLEEP && t->word == word) {
            sleepers[n++] = t;
        }
    }
    for (; n > 0 && count > 0; count--) {
        uint32_t i = sim_any((uint32_t)n);
        sim_wake(sleepers[i]);
        sleepers[i] = sleepers[--n];
    }
}

/* Start and end of a thread */

static void forget(struct sim_thread *t) {
    t->state = SIM_FREE;
}

static void thread_end(struct sim_thread *t) {
    sim_step(SIM_SITE("thread_end", "")); /* its last stores may become visible late */
    sim_memory_flush(t);
    runnable_remove(t, SIM_ENDED);
    for (int i = 0; i < sim.threads_end; i++) {
        struct sim_thread *other = &sim.threads[i];
        if (other->state == SIM_ASLEEP && other->joined == t) {
            sim_wake(other);
        }
    }
    if (t->detached) {
        forget(t); /* its stack stays valid until the slot is reused, after this switch */
    }
    leave();
}

static void thread_main(void *raw) {
    struct sim_thread *t = raw;
    t->fn(t->arg);
    thread_end(t);
}

static struct sim_thread *thread_slot(void) {
    int i = 0;
    while (i < sim.threads_end && sim.threads[i].state != SIM_FREE) {
        i++;
    }
    if (i == SIM_THREADS_MAX) {
        return NULL;
    }
    struct sim_thread *t = &sim.threads[i];
    if (i == sim.threads_end) {
        t->stack = mmap(NULL, SIM_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (t->stack == MAP_FAILED) {
            return NULL;
        }
        /* The lowest page is a guard. */
        if (mprotect(t->stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) != 0) {
            return NULL;
        }
        sim.threads_end++;
    }
    return t;
}

struct sim_thread *sim_thread_start(const char *name, void (*fn)(void *), void *arg) {
    struct sim_thread *t = thread_slot();
    if (t == NULL) {
        return NULL;
    }
    char *stack = t->stack;
    memset(t, 0, sizeof *t);
    t->stack = stack;
    t->id = (int)(t - sim.threads);
    t->fn = fn;
    t->arg = arg;
    t->deadline_ns = SIM_NEVER;
    snprintf(t->name, sizeof t->name, "%s", name);
    memcpy(t->tls, root.tls_initial, root.tls_bytes);
    arch_context_prepare(&t->ctx, stack + SIM_STACK_BYTES, thread_main, t);
    sim_strategy_thread(t);
    runnable_add(t);
    return t;
}

void sim_thread_join(struct sim_thread *t) {
    while (t->state != SIM_ENDED) {
        sim.self->joined = t;
        sim_sleep_until(SIM_NEVER);
    }
    forget(t);
}

void sim_thread_detach(struct sim_thread *t) {
    t->detached = true;
    if (t->state == SIM_ENDED) {
        forget(t);
    }
}

const struct sim_thread *sim_thread_named(const char *name) {
    for (int i = 0; i < sim.threads_end; i++) {
        const struct sim_thread *t = &sim.threads[i];
        if (t->state != SIM_FREE && strcmp(t->name, name) == 0) {
            return t;
        }
    }
    return NULL;
}

int sim_threads_alive(void) {
    int alive = 0;
    for (int i = 0; i < sim.threads_end; i++) {
        alive += sim.threads[i].state != SIM_FREE;
    }
    return alive;
}

/* A run */

static int find_tls(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            root.tls = info->dlpi_tls_data;
            root.tls_bytes = info->dlpi_phdr[i].p_memsz;
        }
    }
    return 1; /* stop: the first object is the program */
}

static void first_main(void *raw) {
    void (*main_fn)(void) = *(void (**)(void))raw;
    struct sim_thread *t = sim.self;
    main_fn();
    sim_memory_flush(t);
    memcpy(root.tls, root.tls_initial, root.tls_bytes);
    arch_switch(&t->ctx, &root.ctx, arrived, NULL);
}

void sim_run(const struct sim_options *options, void (*main_fn)(void)) {
    dl_iterate_phdr(find_tls, NULL);
    if (root.tls_bytes > SIM_TLS_BYTES) {
        fprintf(stderr, "the program has %zu bytes of thread-locals\n", root.tls_bytes);
        abort();
    }
    memcpy(root.tls_initial, root.tls, root.tls_bytes);
    sim.options = *options;
    sim.rand.state = options->seed;
    sim.now_ns = 1;
    sim.next_deadline_ns = SIM_NEVER;
    sim_strategy_begin();
    sim_memory_begin();
    sim.self = sim_thread_start("main", first_main, &main_fn);
    arch_switch(&root.ctx, &sim.self->ctx, arrived, NULL);
}
