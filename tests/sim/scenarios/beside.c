/* SPDX-License-Identifier: MIT */
/* Work beside a processor that computes: each way for a goroutine to become runnable while
   another processor is idle. gap.c checks that an M is woken for it. */
#include "lines.h"

static tuco_wg all;

#define WAITERS_MAX 6

static struct {
    int waiting;  /* those that are about to wait, or do */
    int gathered; /* those that have begun to compute until all do */
    int over;     /* 1: the goroutine that computes beside a thread may end */
    tuco_wg gate;
    tuco_chan *chan;
    tuco_mutex mutex;
    tuco_timer *timers[WAITERS_MAX];
} beside;

static void wait_at_gate(void *job) {
    sim_job_begins(job);
    beside.waiting++;
    tuco_wg_wait(&beside.gate);
    sim_job_ends(job);
}

static void wait_at_gate_wired(void *job) {
    tuco_lock_thread();
    wait_at_gate(job);
}

static void receive(void *job) {
    int value;
    sim_job_begins(job);
    beside.waiting++;
    sim_check(tuco_chan_recv(beside.chan, &value) == 0);
    sim_job_ends(job);
}

static void lock(void *job) {
    sim_job_begins(job);
    beside.waiting++;
    tuco_mutex_lock(&beside.mutex);
    tuco_mutex_unlock(&beside.mutex);
    sim_job_ends(job);
}

static void yield_to_others(void *job) {
    sim_job_begins(job);
    beside.waiting++;
    for (int i = sim_pick(1, 4); i > 0; i--) {
        tuco_yield();
    }
    sim_job_ends(job);
}

static void sleep_a_while(void *job) {
    sim_job_begins(job);
    beside.waiting++;
    tuco_sleep(sim_pick(10, 60) * TUCO_MICROSECOND);
    sim_job_ends(job);
}

/* As many as there are processors: each computes until all have begun. */
static void gather(void *job) {
    sim_job_begins(job);
    beside.gathered++;
    sim_await(&beside.gathered, sim_procs());
    sim_job_ends(job);
    tuco_wg_done(&all);
}

/* What is done before goroutines wait, and what makes them runnable. */

static void no_preparation(int count) {
    (void)count;
}

static void close_gate(int count) {
    (void)count;
    tuco_wg_add(&beside.gate, 1);
}

static void open_gate(int count) {
    (void)count;
    tuco_wg_done(&beside.gate);
}

static void send_each(int count) {
    for (int i = 0; i < count; i++) {
        sim_check(tuco_chan_send(beside.chan, &i) == 0);
    }
}

static void take_mutex(int count) {
    (void)count;
    tuco_mutex_lock(&beside.mutex);
}

static void give_mutex(int count) {
    (void)count;
    tuco_mutex_unlock(&beside.mutex);
}

static void spawn_each(int count) {
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
    }
}

/* More than a ring has room for. */
static void spawn_many(int count) {
    spawn_each(sim_pick(0, 15) == 0 ? 260 + count : count);
}

static void spawn_yielding(int count) {
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, yield_to_others, sim_job_next()) == 0);
    }
}

static void set_timer(int i, tuco_fn *fn) {
    beside.timers[i] =
        tuco_timer_func(sim_pick(1, 60) * TUCO_MICROSECOND, fn, sim_job_next());
    sim_check(beside.timers[i] != NULL);
}

static void set_timers(int count) {
    for (int i = 0; i < count; i++) {
        set_timer(i, sim_job);
    }
}

/* Their processor comes to them itself, before sysmon takes them for late, and to all
   at once. */
static void gather_by_timers(int unused) {
    (void)unused;
    int64_t due_ns = sim.now_ns + 60 * TUCO_MICROSECOND;
    beside.gathered = 0;
    tuco_wg_add(&all, sim_procs());
    for (int i = 0; i < sim_procs(); i++) {
        set_timer(i, gather);
    }
    while (sim.now_ns < due_ns) {
        sim_spin();
    }
    tuco_wg_wait(&all);
}

static void free_timers(void) {
    for (int i = 0; i < WAITERS_MAX; i++) {
        tuco_timer_free(beside.timers[i]);
        beside.timers[i] = NULL;
    }
}

/* How goroutines become runnable: those that wait as waiter does, or others. */
struct way {
    void (*prepare)(int count);
    tuco_fn *waiter; /* NULL: there is none */
    void (*make)(int count);
};

static void run_way(const struct way *way) {
    int count = sim_pick(1, WAITERS_MAX);
    beside.waiting = 0;
    way->prepare(count);
    for (int i = 0; i < count && way->waiter != NULL; i++) {
        sim_check(tuco_wg_go(&all, way->waiter, sim_job_next()) == 0);
    }
    while (way->waiter != NULL && beside.waiting < count) {
        tuco_yield();
    }
    if (sim_pick(0, 1)) {
        /* the others are idle by then */
        tuco_sleep(sim_pick(30, 300) * TUCO_MICROSECOND);
    }
    way->make(count);
    sim_await(&sim_jobs_ended, sim_jobs_made());
    tuco_wg_wait(&all);
    free_timers();
}

static void begin(void) {
    sim_begin_procs(2, 4);
    sim.steady = true;
    beside.chan = tuco_chan_make(sizeof(int), 0);
    sim_check(beside.chan != NULL);
}

static const struct way *ways;
static int ways_count;

static int beside_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 4); round > 0; round--) {
        run_way(&ways[sim_pick(0, ways_count - 1)]);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

#define RUN(of)                                           \
    do {                                                  \
        begin();                                          \
        ways = (of);                                      \
        ways_count = (int)(sizeof(of) / sizeof((of)[0])); \
        sim_main(beside_main);                            \
        tuco_chan_unref(beside.chan);                     \
    } while (0)

static const struct way spawning[] = {
    {no_preparation, NULL, spawn_each},
    {no_preparation, NULL, spawn_many},
    {no_preparation, NULL, spawn_yielding},
};

SIM_SCENARIO(beside_spawn, "one spawns and computes, while other processors are idle") {
    RUN(spawning);
}

static const struct way waking[] = {
    {close_gate, wait_at_gate, open_gate},
    {no_preparation, receive, send_each},
    {take_mutex, lock, give_mutex},
};

SIM_SCENARIO(beside_wake, "one wakes others and computes, and processors are idle") {
    RUN(waking);
}

static const struct way waking_wired[] = {
    {close_gate, wait_at_gate_wired, open_gate},
};

SIM_SCENARIO(beside_lockedm,
             "one wakes wired ones and computes, and processors are idle") {
    RUN(waking_wired);
}

static const struct way timing[] = {
    {no_preparation, sleep_a_while, no_preparation},
    {no_preparation, NULL, set_timers},
    {no_preparation, NULL, gather_by_timers},
};

SIM_SCENARIO(beside_timers, "timers are due on a processor that computes") {
    RUN(timing);
}

/* The same by a thread of the program: what it makes runnable goes to the global queue. */

static void compute_meanwhile(void *unused) {
    (void)unused;
    sim_await(&beside.over, 1);
}

static const struct way outside[] = {
    {close_gate, wait_at_gate, open_gate},       {no_preparation, receive, send_each},
    {no_preparation, NULL, spawn_each},          {no_preparation, NULL, set_timers},
    {close_gate, wait_at_gate_wired, open_gate},
};

static void act_outside(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 4); round > 0; round--) {
        tuco_wg computing = {0};
        beside.over = 0;
        sim_check(tuco_wg_go(&computing, compute_meanwhile, NULL) == 0);
        run_way(&outside[sim_pick(0, (int)(sizeof outside / sizeof outside[0]) - 1)]);
        beside.over = 1;
        tuco_wg_wait(&computing);
    }
}

SIM_SCENARIO(beside_outside,
             "a thread makes goroutines runnable beside one that computes") {
    begin();
    sim_check(tuco_start() == 0);
    sim_threads_join(sim_threads_start(act_outside, 1));
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_jobs_check();
    tuco_chan_unref(beside.chan);
    sim_check(sim_threads_alive() == 1);
}

/* A descriptor becomes ready. The idle Ms fell asleep before there was one, and so not in
   the poller: sysmon has to find it. */

static void read_byte(void *line) {
    beside.waiting = 1;
    sim_check(line_read(LINE_OF(line)) == 1);
}

static int beside_poll_main(void *unused) {
    (void)unused;
    sim_jobs_spawn(&all, sim_pick(1, 2 * sim_procs()));
    tuco_wg_wait(&all);
    tuco_sleep(sim_pick(100, 300) * TUCO_MICROSECOND);
    beside.waiting = 0;
    lines_open(1);
    sim_check(tuco_wg_go(&all, read_byte, LINE_ARG(0)) == 0);
    while (beside.waiting == 0) {
        tuco_yield();
    }
    line_feed(&lines[0]);
    sim_await(&lines_got, 1);
    tuco_wg_wait(&all);
    line_close(&lines[0]);
    lines_check(1);
    return SIM_RESULT;
}

SIM_SCENARIO(beside_netpoll, "a descriptor is ready, and no idle thread polls") {
    sim_begin_procs(2, 4);
    sim.steady = true;
    sim_main(beside_poll_main);
}
