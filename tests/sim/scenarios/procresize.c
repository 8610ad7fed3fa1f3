/* SPDX-License-Identifier: MIT */
/* More and fewer processors, while goroutines run on them. */
#include "scenario.h"
#include "sched/deadlock.h"
#include "sched/sched.h"

#include <string.h>

static tuco_wg all;

#define MOST 5

static int wanted; /* the number that was set last */

static void set_procs(int procs) {
    sim_check(tuco_procs(procs) == wanted);
    wanted = procs;
}

static void wired_job(void *job) {
    sim_job_begins(job);
    tuco_lock_thread();
    tuco_yield();
    if (sim_pick(0, 1)) {
        tuco_unlock_thread();
        tuco_yield();
    }
    sim_job_ends(job);
}

static void spawn_some(void) {
    static tuco_fn *const kinds[] = {sim_job,        sim_job,        sim_job_yields,
                                     sim_job_yields, sim_job_sleeps, wired_job};
    for (int i = sim_pick(0, 6); i > 0; i--) {
        sim_check(tuco_wg_go(&all, kinds[sim_pick(0, 5)], sim_job_next()) == 0);
    }
}

static int resize_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 8); round > 0; round--) {
        spawn_some();
        sim_pause_some(60);
        set_procs(sim_pick(1, MOST));
        switch (sim_pick(0, 3)) {
        case 0: tuco_wg_wait(&all); break;
        case 1: tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND); break;
        case 2: tuco_yield(); break;
        default: break;
        }
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(procresize,
             "the number of processors changes while goroutines run and sleep") {
    sim_begin_procs(1, MOST);
    wanted = sim_procs();
    sim_main(resize_main);
}

/* A thread changes the number again and again, also while all is idle, and each time as
   many goroutines compute until all of them do. */
static int arrived;

static void arrive(void *size) {
    sim_pause_some(4);
    arrived++;
    sim_await(&arrived, (int)(intptr_t)size);
}

static void resize_from_outside(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 8); round > 0; round--) {
        int procs = sim_pick(1, MOST);
        bool before = sim_pick(0, 1);
        arrived = 0;
        for (int i = 0; before && i < procs; i++) {
            sim_check(tuco_wg_go(&all, arrive, (void *)(intptr_t)procs) == 0);
        }
        sim_pause_some(60);
        set_procs(sim_pick(1, MOST));
        set_procs(procs);
        for (int i = 0; !before && i < procs; i++) {
            sim_check(tuco_wg_go(&all, arrive, (void *)(intptr_t)procs) == 0);
        }
        tuco_wg_wait(&all);
        sim_pause_some(60);
    }
}

static void run_beside_runtime(void (*fn)(void *)) {
    wanted = sim_procs();
    sim_check(tuco_start() == 0);
    sim_threads_join(sim_threads_start(fn, 1));
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_jobs_check();
    sim_check(sim_threads_alive() == 1);
}

SIM_SCENARIO(procresize_all, "as many goroutines as there are processors now compute") {
    sim_begin_procs(1, MOST);
    sim.steady = true;
    run_beside_runtime(resize_from_outside);
}

/* Processors become idle, with and without a thread, just when they are too many. */
static void resize_while_idle(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 8); round > 0; round--) {
        set_procs(sim_pick(2, 3));
        for (int i = sim_pick(1, 3); i > 0; i--) {
            tuco_fn *fn = sim_pick(0, 1) ? sim_job : wired_job;
            sim_check(tuco_wg_go(&all, fn, sim_job_next()) == 0);
        }
        sim_pause_some(sim_pick(0, 1) ? 60 : 400);
        set_procs(1);
        tuco_wg_wait(&all);
        sim_sleep_until(sim.now_ns + TUCO_MILLISECOND);
    }
}

SIM_SCENARIO(procresize_idle, "processors become idle just when they are too many") {
    sim_begin_procs(1, 3);
    run_beside_runtime(resize_while_idle);
}

/* Another processor comes just when goroutines are queued for which there was none. */
static int more_rounds;

static void bring_one_more(void *unused) {
    (void)unused;
    for (int round = 1; round <= more_rounds; round++) {
        sim_await(&arrived, round);
        sim_pause_some(sim_pick(0, 1) ? 40 : 200);
        tuco_procs(2);
    }
}

static int more_main(void *unused) {
    (void)unused;
    sim_threads_start(bring_one_more, 1);
    for (int round = 1; round <= more_rounds; round++) {
        arrived = round;
        for (int i = sim_pick(2, 6); i > 0; i--) {
            sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        }
        sim_await(&sim_jobs_ended, sim_jobs_made());
        tuco_wg_wait(&all);
        tuco_procs(1);
    }
    sim_threads_join(1);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_more, "a processor is added when goroutines wait for one") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    arrived = 0;
    more_rounds = sim_pick(1, 6);
    sim_main(more_main);
}

/* Timers lie on processors that become too many, while all sleep: those that are due soon
   and those that sysmon, which sleeps for good by then, has to be woken for. */
static int asleep_rounds;
static int lowered; /* how often the processor was taken */

static tuco_time any_span(void) {
    return sim_pick(0, 7) == 0 ? 100 * TUCO_MILLISECOND
                               : sim_pick(1, 60) * TUCO_MICROSECOND;
}

/* When the next goroutine goes to sleep, or later. main adds the processor again when it
   has woken up: that wakes sysmon, which would then see a timer that it has to be woken
   for. */
static void resize_while_asleep(void *unused) {
    (void)unused;
    for (int round = 1; round <= asleep_rounds; round++) {
        while (arrived < round) {
            sim.self->word = &arrived;
            sim_sleep_until(SIM_NEVER);
        }
        switch (sim_pick(0, 15)) {
        case 0: sim_sleep_until(sim.now_ns + 80 * TUCO_MILLISECOND); break;
        case 1: sim_sleep_near_due("tuco", -60, 60); break;
        case 2:
        case 3: sim_pause_some(100); break;
        /* while the other goes to sleep, and looks whether that was the last */
        default: sim_sleep_until(sim.now_ns + sim_pick(0, 250) * SIM_STEP_NS); break;
        }
        tuco_procs(1);
        lowered++;
    }
}

/* Sysmon looks after 3 ms at latest: it has to be woken. Others are stalled for less. */
#define TIMER_LATE_NS (2 * TUCO_MILLISECOND)

static void sleep_and_tell(void *job) {
    sim_job_begins(job);
    tuco_time span = any_span();
    tuco_time start = tuco_now();
    arrived++;
    sim_wake_word(&arrived, 1);
    tuco_sleep(span);
    sim_check(tuco_now() - start < span + TIMER_LATE_NS);
    sim_job_ends(job);
}

static int resize_sleep_main(void *unused) {
    (void)unused;
    rt_deadlock_ignore_threads(1); /* it wakes no goroutine */
    sim_threads_start(resize_while_asleep, 1);
    for (int round = 1; round <= asleep_rounds; round++) {
        bool first = sim_pick(0, 1);
        tuco_procs(2);
        sim_check(tuco_wg_go(&all, first ? sleep_and_tell : sim_job, sim_job_next()) ==
                  0);
        sim_check(tuco_wg_go(&all, first ? sim_job : sleep_and_tell, sim_job_next()) ==
                  0);
        sim_pause_some(200);
        tuco_wg_wait(&all);
        while (lowered < round) {
            sim_hog(TUCO_MILLISECOND);
        }
    }
    sim_threads_join(1);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_sleep, "timers lie on processors that are too many") {
    sim_begin_procs(2, 2);
    sim.steady = true;
    arrived = 0;
    lowered = 0;
    asleep_rounds = sim_pick(4, 16);
    sim_main(resize_sleep_main);
}

/* Processors are too many and wanted again at once, while their rings are full. */
#define FULL    260 /* more than a ring has room for */
#define FILLERS 2

static int full_rounds;
static int fillers_left;

/* It is wired to its thread: each time that it yields, another one comes to the scheduler
   with what is in the ring. */
static void fill_and_yield(void *job) {
    sim_job_begins(job);
    tuco_lock_thread();
    for (int round = full_rounds; round > 0; round--) {
        for (int i = 0; i < FULL; i++) {
            sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        }
        for (int i = sim_pick(4, 16); i > 0; i--) {
            tuco_yield();
        }
    }
    fillers_left--;
    sim_job_ends(job);
}

/* One is too many just when its owner has looked whether it is, and is wanted again just
   when its owner has seen that. */
static void resize_when_full(void *unused) {
    (void)unused;
    while (fillers_left > 0) {
        if (sim_aim_at("rt_attention_has", 1000)) {
            tuco_procs(1);
            (void)sim_aim_at("findrunnable", 60);
            tuco_procs(2);
        }
    }
}

static int full_main(void *unused) {
    (void)unused;
    sim_threads_start(resize_when_full, 1);
    for (int i = 0; i < FILLERS; i++) {
        sim_check(tuco_wg_go(&all, fill_and_yield, sim_job_next()) == 0);
    }
    tuco_wg_wait(&all);
    sim_threads_join(1);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_full,
             "processors with full rings are too many, and wanted again") {
    sim_begin_procs(2, 2);
    fillers_left = FILLERS;
    full_rounds = sim_pick(1, 3);
    sim_main(full_main);
}

/* There were many processors for a while. A request to all takes no step for those that are
   out of use. */

#define REQUEST_STEPS 6

static int request_main(void *unused) {
    (void)unused;
    tuco_procs(sim_pick(16, 32));
    sim_pause_some(60);
    tuco_procs(1);
    while (rt_sched_ps_end() > 1) {
        tuco_yield();
    }
    uint64_t before = sim.self->steps;
    rt_sched_ask_attention(RT_ATTENTION_NETPOLL);
    sim_check(sim.self->steps - before <= REQUEST_STEPS);
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_requests, "requests to all, after there were many processors") {
    sim_begin_procs(1, 3);
    sim_main(request_main);
}
