/* SPDX-License-Identifier: MIT */
/* Goroutines that compute, and are interrupted in favour of others. */
#include "scenario.h"

#include <limits.h>

static tuco_wg all;

/* About as long as it takes until it is asked, and then interrupted; or a slice. */
static void compute_some(void) {
    static const int64_t spans_ns[] = {40000, 1200000, 2000000, 12000000};
    sim_hog(spans_ns[sim_pick(0, 3)]);
}

static void enter_somehow(void) {
    switch (sim_pick(0, 5)) {
    case 0: tuco_yield(); break;
    case 1: sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0); break;
    case 2: tuco_checkpoint(); break;
    case 3:
        tuco_preempt_off();
        compute_some();
        tuco_preempt_on();
        break;
    case 4:
        tuco_lock_thread();
        compute_some();
        tuco_unlock_thread();
        break;
    default: break;
    }
}

static void computing_job(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        compute_some();
        enter_somehow();
    }
    sim_job_ends(job);
}

/* Waits for its child in the middle of it. */
static void computing_parent(void *job) {
    tuco_wg child = {0};
    sim_job_begins(job);
    sim_check(tuco_wg_go(&child, computing_job, sim_job_next()) == 0);
    compute_some();
    tuco_wg_wait(&child);
    compute_some();
    sim_job_ends(job);
}

static int interrupted_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 2 * sim_procs()); i > 0; i--) {
        tuco_fn *fn = sim_pick(0, 1) ? computing_job : computing_parent;
        sim_check(tuco_wg_go(&all, fn, sim_job_next()) == 0);
    }
    if (sim_pick(0, 1)) {
        computing_job(sim_job_next());
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(interrupted,
             "goroutines compute, are interrupted, and call in that moment") {
    sim_begin_procs(1, 2);
    sim_main(interrupted_main);
}

/* Each computes until all of them have begun. */
static int begun;

static void begin_and_compute(void *job) {
    sim_job_begins(job);
    begun++;
    sim_hog_until(&begun, sim_jobs_made());
    sim_job_ends(job);
}

static int turns_main(void *unused) {
    (void)unused;
    begun = 0;
    for (int i = sim_pick(2, 2 + sim_procs()); i > 0; i--) {
        sim_check(tuco_wg_go(&all, begin_and_compute, sim_job_next()) == 0);
    }
    if (sim_pick(0, 1)) {
        sim_hog_until(&begun, sim_jobs_made());
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(turns, "more goroutines than processors compute until all have begun") {
    sim_begin_procs(1, 3);
    sim.steady = true;
    sim_main(turns_main);
}

/* With preemption off it is asked, and perhaps more than once, calls, and keeps its
   processor; afterwards it gives way. */
static void call_without_parking(void) {
    switch (sim_pick(0, 3)) {
    case 0: sim_check(tuco_count() > 0); break;
    case 1: sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0); break;
    case 2: tuco_checkpoint(); break;
    default:
        tuco_lock_thread();
        tuco_unlock_thread();
        break;
    }
}

static void keep_while_off(void *job) {
    sim_job_begins(job);
    begun = 0;
    sim_check(tuco_wg_go(&all, begin_and_compute, sim_job_next()) == 0);
    tuco_preempt_off();
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_hog_until_asked();
        call_without_parking();
        compute_some();
    }
    sim_check(begun == 0);
    tuco_preempt_on();
    sim_hog_until(&begun, 1);
    begun = INT_MAX;
    sim_job_ends(job);
}

static int preempt_off_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 3); i > 0; i--) {
        keep_while_off(sim_job_next());
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(preempt_off, "a goroutine is asked to give way, and may not yet") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    sim_main(preempt_off_main);
}

/* main returns while others compute, wherever they are. One that a signal has stopped
   goes on until its next call. */
static int begun_hogs;
static int computed_hogs;

static void compute_and_end(void *unused) {
    (void)unused;
    begun_hogs++;
    compute_some();
    computed_hogs++;
    if (sim_pick(0, 1)) {
        tuco_yield();
        compute_some();
    }
}

static int hogs_left_main(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 2 * sim_procs()); i > 0; i--) {
        sim_check(tuco_go(compute_and_end, NULL) == 0);
    }
    tuco_yield();
    if (sim_pick(0, 1)) {
        compute_some();
    }
    return SIM_RESULT;
}

SIM_SCENARIO(hogs_left, "main returns while others compute and are interrupted") {
    sim_begin_procs(1, 3);
    begun_hogs = computed_hogs = 0;
    sim_check(tuco_run(hogs_left_main, NULL) == SIM_RESULT);
    while (computed_hogs < begun_hogs) {
        sim_sleep_some();
    }
}

/* main returns just when the thread of tuco_run() is interrupted: no other goroutine needs
   that thread. */
static void compute_long(void *unused) {
    (void)unused;
    sim_hog(3 * TUCO_MILLISECOND);
}

static int last_hog_main(void *unused) {
    (void)unused;
    const struct sim_thread *first = &sim.threads[0];
    for (int i = sim_pick(2, 4); i > 0; i--) {
        sim_check(tuco_go(compute_long, NULL) == 0);
    }
    for (int tries = 4; tries > 0 && sim.self == first; tries--) {
        tuco_yield();
    }
    for (int turns = 1000; turns > 0 && first->signals_pending == 0; turns--) {
        sim_spin();
    }
    sim_pause_some(120);
    return SIM_RESULT;
}

SIM_SCENARIO(last_hog, "main returns when the first thread of all is interrupted") {
    sim_begin_procs(2, 2);
    sim_check(tuco_run(last_hog_main, NULL) == SIM_RESULT);
}
