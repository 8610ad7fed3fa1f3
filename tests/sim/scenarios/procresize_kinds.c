/* SPDX-License-Identifier: MIT */
/* More and fewer processors beside all that may have one, or lose one, at that moment. */
#include "os_sim.h"
#include "scenario.h"

static tuco_wg all;
static int over;

/* Is interrupted, and steps aside in the handler of the signal. */
static void computing_job(void *job) {
    static const int64_t spans_ns[] = {40000, 1200000, 2000000, 12000000};
    sim_job_begins(job);
    sim_hog(spans_ns[sim_pick(0, 3)]);
    tuco_yield();
    sim_job_ends(job);
}

static void blocking_job(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 2); i > 0; i--) {
        bool announced = sim_pick(0, 1);
        if (announced) {
            tuco_blocking_enter();
        }
        sim_block();
        if (announced) {
            tuco_blocking_exit();
        }
        tuco_yield();
    }
    sim_job_ends(job);
}

static void wired_job(void *job) {
    sim_job_begins(job);
    tuco_lock_thread();
    switch (sim_pick(0, 3)) {
    case 0: tuco_yield(); break;
    case 1: tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND); break;
    case 2: sim_hog(2 * TUCO_MILLISECOND); break;
    default: sim_block(); break;
    }
    if (sim_pick(0, 1)) {
        tuco_unlock_thread();
        tuco_yield();
    }
    sim_job_ends(job);
}

static void resizing_job(void *job) {
    sim_job_begins(job);
    tuco_procs(sim_pick(1, 4));
    sim_job_ends(job);
}

static void spawn_kinds(int most) {
    static tuco_fn *const kinds[] = {sim_job,       sim_job_yields, sim_job_sleeps,
                                     computing_job, blocking_job,   wired_job,
                                     resizing_job};
    for (int i = sim_pick(1, most); i > 0; i--) {
        sim_check(tuco_wg_go(&all, kinds[sim_pick(0, 6)], sim_job_next()) == 0);
    }
}

/* Threads: while the runtime runs, and for a moment longer. */
static void resize_until_over(void *unused) {
    static const int most[] = {2, 2, 3, 5, 70};
    (void)unused;
    while (!over) {
        switch (sim_pick(0, 7)) {
        case 0: sim_sleep_near_due("tuco", -60, 60); break;
        case 1: sim_sleep_near_due("tuco-sysmon", -60, 60); break;
        case 2: sim_sleep_until(sim.now_ns + sim_pick(1, 3000) * TUCO_MICROSECOND); break;
        default: sim_pause_some(300); break;
        }
        int before = tuco_procs(sim_pick(1, most[sim_pick(0, 4)]));
        sim_check(before >= 0 && before <= 70);
        if (sim_pick(0, 1)) {
            sim_pause_some(40);
            tuco_procs(sim_pick(1, 2));
        }
    }
}

static int kinds_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 4); round > 0; round--) {
        spawn_kinds(8);
        if (sim_pick(0, 1)) {
            tuco_yield();
        }
        if (sim_pick(0, 3) != 0) {
            tuco_wg_wait(&all);
        }
    }
    tuco_wg_wait(&all);
    sim_jobs_check();
    over = 1;
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_kinds,
             "threads change the number while goroutines do everything") {
    sim_begin_procs(1, 4);
    over = 0;
    int count = sim_threads_start(resize_until_over, sim_pick(1, 2));
    sim_unblocker_start(10, false);
    sim_check(tuco_run(kinds_main, NULL) == SIM_RESULT);
    sim_unblocker_join();
    sim_threads_join(count);
    sim_check(sim_threads_alive() == 1);
}

/* The runtime ends and begins while threads change the number. */
static int leave_main(void *unused) {
    (void)unused;
    spawn_kinds(8);
    switch (sim_pick(0, 2)) {
    case 0: tuco_yield(); break;
    case 1: tuco_sleep(sim_pick(0, 60) * TUCO_MICROSECOND); break;
    default: break;
    }
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_end, "the runtime ends while threads change the number") {
    sim_begin_procs(1, 4);
    over = 0;
    int count = sim_threads_start(resize_until_over, sim_pick(1, 2));
    sim_unblocker_start(10, false);
    for (int round = sim_pick(0, 3); round > 0; round--) {
        sim_check(tuco_start() == 0);
        spawn_kinds(4);
        sim_pause_some(200);
        sim_check(tuco_stop(TUCO_NEVER) == 0);
    }
    sim_check(tuco_run(leave_main, NULL) == SIM_RESULT);
    over = 1;
    sim_unblocker_join();
    sim_threads_join(count);
}

/* The number follows that of the CPUs, and a thread sets it in between. */
static void change_cpus(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 5); round > 0; round--) {
        os_sim.cpus = sim_pick(1, 4);
        if (sim_pick(0, 3) == 0) {
            tuco_procs_auto();
        } else if (sim_pick(0, 2) == 0) {
            tuco_procs(sim_pick(1, 4));
        }
        if (sim_pick(0, 1)) {
            sim_sleep_near_due("tuco-sysmon", -60, 200);
        } else {
            sim_sleep_until(sim.now_ns + sim_pick(1, 1200) * TUCO_MILLISECOND);
        }
    }
    over = 1;
}

static int follow_main(void *unused) {
    (void)unused;
    if (sim_pick(0, 1)) {
        tuco_procs_auto();
    }
    sim_threads_start(change_cpus, 1);
    for (int round = sim_pick(1, 5); round > 0; round--) {
        spawn_kinds(6);
        tuco_sleep(sim_pick(1, 1200) * TUCO_MILLISECOND);
    }
    tuco_wg_wait(&all);
    while (!over) {
        tuco_sleep(10 * TUCO_MILLISECOND);
    }
    sim_threads_join(1);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(procresize_follow, "the number follows the CPUs, and is set in between") {
    sim_begin_procs(1, 4);
    over = 0;
    sim_main_beside_unblocker(follow_main, 10, false);
}
