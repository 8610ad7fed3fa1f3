/* SPDX-License-Identifier: MIT */
/* The internals of the simulated machine, for the files that implement it. */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "arch/arch.h"
#include "base/rand.h"
#include "sim.h"

#include <stddef.h>

#define SIM_THREADS_MAX   512
#define SIM_STACK_BYTES   ((size_t)256 * 1024)
#define SIM_BUFFER_STORES 32
#define SIM_TLS_BYTES     64
#define SIM_NEVER         INT64_MAX
#define SIM_DEPTH_MAX     16
#define SIM_PROCS_MAX     256

/* The duration of a step on the virtual clock. An iteration of a wait loop lasts far too
   long, so that the runtime's short timed waits take few steps. */
#define SIM_STEP_NS  ((int64_t)10)
#define SIM_RELAX_NS ((int64_t)400)

enum sim_strategy {
    SIM_RANDOM_WALK,
    SIM_PCT,
    SIM_EXHAUSTIVE, /* explore.c */
};

/* How far memory deviates from sequential consistency. */
enum sim_model {
    SIM_MODEL_SC,   /* not at all */
    SIM_MODEL_TSO,  /* stores wait in a FIFO buffer: x86-64 */
    SIM_MODEL_WEAK, /* relaxed stores may also overtake each other */
};

/* Everything that a run depends on: equal options give equal runs. Immutable during a
   run. */
struct sim_options {
    const char *scenario; /* its name */
    uint64_t seed;
    enum sim_strategy strategy;
    int depth;          /* PCT: number of priority changes plus one */
    uint64_t length;    /* PCT: expected number of steps of a run */
    uint64_t steps_max; /* a run with more steps fails */
    enum sim_model model;
    int procs;            /* 0: the scenario chooses */
    int bound;            /* exhaustive: the most deviations in a run */
    unsigned seconds_max; /* of real time, per process */
    const char *given;    /* which of these the user set, as arguments */
};

/* A store that its thread has made and that other threads do not see yet. */
struct sim_stored {
    void *p;
    uint64_t value;
    uint64_t born; /* the step of the store */
    const struct sim_site *site;
    unsigned bytes;
    enum sim_order order;
};

/* The name of the thread that ends blocking calls, in place of the kernel. */
#define SIM_UNBLOCKER "unblocker"

enum sim_state {
    SIM_FREE, /* no thread */
    SIM_RUNNABLE,
    SIM_ASLEEP, /* until woken, or until its deadline */
    SIM_ENDED,  /* not joined or detached yet */
};

/* All of this and of struct sim_machine: one thread of the system, so no guards. */
struct sim_thread {
    struct arch_context ctx; /* while another thread runs */
    enum sim_state state;
    int id;
    bool detached;
    char name[16];
    char *stack; /* reused by the next thread in this slot */
    void (*fn)(void *);
    void *arg;

    const struct sim_site *site; /* of the last step, or of the next one */
    int place;                   /* index in sim.runnable, while runnable */
    int64_t priority;            /* PCT */
    uint64_t last_step; /* PCT: the step at which it last ran or became runnable */
    uint64_t steps;
    uint64_t steps_woken; /* steps when it last became runnable */
    uint64_t clock_reads;
    int64_t computed_ns; /* CPU time besides that of its steps */
    uint64_t seen_steps; /* steps at the last os_thread_cpu() for it */
    int seen_again;      /* how often in a row they were unchanged */
    int errno_value;

    /* While asleep. */
    const void *word;          /* the futex; NULL: none */
    struct sim_thread *joined; /* the thread whose end it waits for; NULL: none */
    int64_t deadline_ns;
    bool timed_out;

    /* in a wait loop of the scenario's own, and not in a signal handler: see scenario.c */
    bool computes;

    /* Signals, one bit each. */
    uint32_t signals_pending;
    uint32_t signals_blocked;

    struct sim_stored stores[SIM_BUFFER_STORES]; /* oldest first */
    int stores_count;
    char tls[SIM_TLS_BYTES]; /* its thread-locals, while another thread runs */
};

extern struct sim_machine {
    struct sim_options options;
    struct rt_rand rand; /* the machine's choices */
    struct sim_thread *self;
    struct sim_thread threads[SIM_THREADS_MAX];
    int threads_end; /* slots ever used */
    struct sim_thread *runnable[SIM_THREADS_MAX];
    int runnable_count;
    int computing;    /* threads that compute */
    int blocked;      /* threads that sleep in a blocking call of the scenario */
    int stored_count; /* in all buffers */
    uint64_t steps;
    int64_t now_ns;
    int64_t next_deadline_ns; /* not later than the earliest deadline of any thread */
    uint64_t hash;            /* of all steps so far */
    /* the machine itself runs: operations take effect at once, without steps */
    bool quiet;
    bool steady; /* time does not jump while a thread is runnable */
    /* called before time jumps because no thread is runnable */
    void (*on_all_asleep)(void);
    void (*on_turn)(void); /* the turn goes to another thread */
    /* the running thread has made a store, which may still be buffered */
    void (*on_store)(const void *p, uint64_t value);
    /* memory has changed, by a step at this site */
    void (*on_write)(const void *p, const struct sim_site *site);
    void (*on_step)(void);  /* the running thread begins a step */
    void (*on_sleep)(void); /* the running thread is about to sleep or to exit */
    const void *operand;    /* what the next step accesses; NULL: a call */
    void (*signal_handler)(int number);
} sim;

/* Runs main_fn as the first simulated thread, until it returns. */
void sim_run(const struct sim_options *options, void (*main_fn)(void));

/* Threads */

/* NULL: no free slot. */
struct sim_thread *sim_thread_start(const char *name, void (*fn)(void *), void *arg);
void sim_thread_join(struct sim_thread *t);
void sim_thread_detach(struct sim_thread *t);

/* NULL: there is no thread of that name. */
const struct sim_thread *sim_thread_named(const char *name);
int sim_threads_alive(void);

/* The calling thread sleeps until sim_wake() or its deadline. Returns true if woken. Its
   word or joined says what it waits for. */
bool sim_sleep_until(int64_t deadline_ns);
void sim_wake(struct sim_thread *t);

/* The calling thread begins or stops computing. */
void sim_compute(bool computes);

/* Wakes up to count threads that sleep on word, in random order. */
void sim_wake_word(const void *word, int count);

/* Signals */

/* The signal arrives at one of the thread's next steps, or interrupts its sleep; then the
   handler runs on the thread's current stack. A signal that is already pending is merged;
   a blocked one stays pending. number: 0 to 31. */
void sim_signal(struct sim_thread *t, int number);

/* Sets the calling thread's blocked signals; returns the previous set. */
uint32_t sim_signal_block(uint32_t signals);

/* Choices: strategy.c */

void sim_strategy_begin(void);
const char *sim_strategy_text(void);            /* for reports */
void sim_strategy_thread(struct sim_thread *t); /* t has just been created */

/* True with probability 1/n. Never true in an exhaustive search, which is
   deterministic. */
bool sim_chance(uint32_t n);

/* A random number below n; 0 in an exhaustive search. */
uint32_t sim_any(uint32_t n);

/* Chooses which runnable thread makes the next step. relaxed: the running thread is in a
   wait loop and prefers that another one runs. */
struct sim_thread *sim_strategy_choose(bool relaxed);

/* The set of runnable threads, or a priority, has changed. */
void sim_strategy_changed(void);

/* Random walk: t gets no turn for that many steps, unless it is the only runnable
   thread. */
void sim_stall(struct sim_thread *t, uint64_t steps);

/* Memory: memory.c */

void sim_memory_begin(void);

/* What the running thread would load from p, without a step. */
uint64_t sim_load_own(const void *p, unsigned bytes);
void sim_memory_step(void); /* may drain buffered stores */
void sim_memory_flush(struct sim_thread *t);
void sim_memory_flush_all(void);

/* The trace of the last steps: trace.c */

void sim_trace_step(const struct sim_thread *t, const struct sim_site *site);
void sim_trace_value(uint64_t value);
void sim_trace_seen(const struct sim_thread *t, const struct sim_stored *stored);
void sim_trace_print(void);

#endif
