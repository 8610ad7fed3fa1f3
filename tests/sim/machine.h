/* SPDX-License-Identifier: MIT */
/* The inside of the simulated machine, for the files that make it up. */
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

/* How long things take on the virtual clock. A turn of a wait loop is far too long, so
   that the runtime's short waits, which are measured in time, take few steps. */
#define SIM_STEP_NS  ((int64_t)10)
#define SIM_RELAX_NS ((int64_t)400)

enum sim_strategy {
    SIM_RANDOM_WALK,
    SIM_PCT,
    SIM_EXHAUSTIVE, /* explore.c */
};

/* How far memory may be from sequentially consistent. */
enum sim_model {
    SIM_MODEL_SC,   /* not at all */
    SIM_MODEL_TSO,  /* stores wait in a queue: x86-64 */
    SIM_MODEL_WEAK, /* relaxed stores also overtake each other */
};

/* All that a run depends on: the same options give the same run. */
struct sim_options {
    const char *scenario; /* its name */
    uint64_t seed;
    enum sim_strategy strategy;
    int depth;          /* PCT: points at which priorities change, and one */
    uint64_t length;    /* PCT: steps that a run is expected to have */
    uint64_t steps_max; /* more are a failure */
    enum sim_model model;
    int procs;            /* 0: the scenario chooses */
    int bound;            /* exhaustive: deviations in a run, at most */
    unsigned seconds_max; /* of real time, in one process */
    const char *given;    /* what the user chose of these, as arguments */
};

/* A store that its thread has made and others do not see yet. */
struct sim_stored {
    void *p;
    uint64_t value;
    uint64_t born; /* the step */
    const struct sim_site *site;
    unsigned bytes;
    enum sim_order order;
};

enum sim_state {
    SIM_FREE, /* no thread */
    SIM_RUNNABLE,
    SIM_ASLEEP, /* until woken, or until its deadline */
    SIM_ENDED,  /* and not joined or detached yet */
};

struct sim_thread {
    struct arch_context ctx; /* while another thread runs */
    enum sim_state state;
    int id;
    bool detached;
    char name[16];
    char *stack; /* kept for the next thread of this slot */
    void (*fn)(void *);
    void *arg;

    const struct sim_site *site; /* of the last step, or of the one to come */
    int place;                   /* in machine.runnable, while runnable */
    int64_t priority;            /* PCT */
    uint64_t last_step; /* PCT: when it had its last turn, or could go on again */
    uint64_t steps;
    uint64_t clock_reads;
    int errno_value;

    /* While asleep. */
    const void *word;          /* the futex; NULL: none */
    struct sim_thread *joined; /* the thread whose end it waits for; NULL: none */
    int64_t deadline_ns;
    bool timed_out;

    /* it waits in a loop of the program's own, and not in a signal handler: scenario.c */
    bool computes;

    int brought_to; /* the only CPU that it may use, and 1; 0: it may use all */

    /* Signals, a bit each. */
    uint32_t signals_pending;
    uint32_t signals_blocked;

    struct sim_stored stores[SIM_BUFFER_STORES]; /* oldest first */
    int stores_count;
    char tls[SIM_TLS_BYTES]; /* the program's thread-locals, while another runs */
};

extern struct sim_machine {
    struct sim_options options;
    struct rt_rand rand; /* the machine's choices */
    struct sim_thread *self;
    struct sim_thread threads[SIM_THREADS_MAX];
    int threads_end; /* slots that were ever used */
    struct sim_thread *runnable[SIM_THREADS_MAX];
    int runnable_count;
    int computing;    /* threads that compute */
    int blocked;      /* threads that sleep in a call of the program's own */
    int stored_count; /* in all buffers */
    uint64_t steps;
    int64_t now_ns;
    int64_t next_deadline_ns; /* not after the earliest of any thread */
    uint64_t hash;            /* of all steps so far */
    /* operations are made at once, by the machine itself */
    bool quiet;
    bool steady; /* time does not jump while a thread can go on */
    /* asked before time jumps, since no thread can go on now */
    void (*on_all_asleep)(void);
    void (*on_turn)(void); /* the turn goes to another thread */
    /* the running thread has made a store, which others may not see yet */
    void (*on_store)(const void *p, uint64_t value);
    const void *operand; /* what the step to come accesses; NULL: a call */
    void (*signal_handler)(int number);
} sim;

/* Runs main_fn as the first simulated thread, until it returns. */
void sim_run(const struct sim_options *options, void (*main_fn)(void));

/* Threads */

/* NULL: there is no room. */
struct sim_thread *sim_thread_start(const char *name, void (*fn)(void *), void *arg);
void sim_thread_join(struct sim_thread *t);
void sim_thread_detach(struct sim_thread *t);

/* NULL: there is none of that name. */
const struct sim_thread *sim_thread_named(const char *name);
int sim_threads_alive(void);

/* The calling thread sleeps until sim_wake() or its deadline; true: woken. What it waits
   for is in its word or joined. */
bool sim_sleep_until(int64_t deadline_ns);
void sim_wake(struct sim_thread *t);

/* The calling thread begins or ends to compute. */
void sim_compute(bool computes);

/* Wakes up to count of those who sleep on the word, whichever. */
void sim_wake_word(const void *word, int count);

/* Signals */

/* The signal arrives at one of the thread's next steps, or ends its sleep: then the
   handler runs on whatever stack the thread is on. One that is pending already, or
   blocked, waits. number: 0 to 31. */
void sim_signal(struct sim_thread *t, int number);

/* Of the calling thread; returns what was blocked before. */
uint32_t sim_signal_block(uint32_t signals);

/* Choices: strategy.c */

void sim_strategy_begin(void);
const char *sim_strategy_text(void);            /* for reports */
void sim_strategy_thread(struct sim_thread *t); /* t has just been made */

/* True with a chance of one in n; never in an exhaustive search, of which chance is no
   part. */
bool sim_chance(uint32_t n);

/* Any number below n; 0 in a search. */
uint32_t sim_any(uint32_t n);

/* Who makes the next step: one of the runnable. relaxed: the running thread had rather
   not. */
struct sim_thread *sim_strategy_choose(bool relaxed);

/* The set of the runnable, or a priority, has changed. */
void sim_strategy_changed(void);

/* Memory: memory.c */

void sim_memory_begin(void);

/* What the running thread would load there, without a step. */
uint64_t sim_load_own(const void *p, unsigned bytes);
void sim_memory_step(void); /* lets time pass for stores that wait */
void sim_memory_flush(struct sim_thread *t);
void sim_memory_flush_all(void);

/* The record of the last steps: trace.c */

void sim_trace_step(const struct sim_thread *t, const struct sim_site *site);
void sim_trace_value(uint64_t value);
void sim_trace_seen(const struct sim_thread *t, const struct sim_stored *stored);
void sim_trace_print(void);

#endif
