/* SPDX-License-Identifier: MIT */
/* Threads that block in the kernel, announced or not, while sysmon takes their
   processors; and threads that are spare afterwards. */
#include "os_sim.h"
#include "scenario.h"

static tuco_wg all;
static tuco_wg woken; /* what a crowd waits for */

static void wait_woken(void *job) {
    sim_job_begins(job);
    tuco_wg_wait(&woken);
    sim_job_ends(job);
}

/* One of the ways into the runtime. */
static void enter_somehow(void) {
    switch (sim_pick(0, 3)) {
    case 0: tuco_yield(); break;
    case 1: sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0); break;
    case 2: sim_jobs_spawn(&all, sim_pick(1, 3)); break;
    default: sim_check(tuco_count() > 0); break;
    }
}

static void blocker(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 4); i > 0; i--) {
        tuco_blocking_enter();
        if (sim_pick(0, 7) != 0) {
            sim_block();
        }
        tuco_blocking_exit();
        if (sim_pick(0, 1)) {
            enter_somehow();
        }
    }
    sim_job_ends(job);
}

static void sleeper(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        sim_block();
        enter_somehow();
    }
    sim_job_ends(job);
}

/* Those that block come first, so that others wait for their processors. */
static void spawn_with_others(tuco_fn *fn) {
    for (int i = sim_pick(1, sim_procs() + 1); i > 0; i--) {
        sim_check(tuco_wg_go(&all, fn, sim_job_next()) == 0);
        if (sim_pick(0, 1)) {
            sim_check(tuco_wg_go(&all, sim_job_yields, sim_job_next()) == 0);
        }
    }
    for (int i = sim_pick(0, 3); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sim_job_yields, sim_job_next()) == 0);
    }
}

static int blocked_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 3); round > 0; round--) {
        spawn_with_others(blocker);
        if (sim_pick(0, 1)) {
            blocker(sim_job_next());
        }
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(blocked, "threads come back from calls that were announced to block") {
    sim_begin_procs(1, 3);
    sim_main_beside_unblocker(blocked_main, 4, false);
}

static int asleep_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 2); round > 0; round--) {
        tuco_wg_add(&woken, 1);
        for (int i = sim_pick(0, 3); i > 0; i--) {
            sim_check(tuco_wg_go(&all, wait_woken, sim_job_next()) == 0);
        }
        spawn_with_others(sleeper);
        if (sim_pick(0, 1)) {
            sim_block();
        } else {
            tuco_yield();
        }
        tuco_wg_done(&woken);
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(asleep, "threads come back from calls that block, and were not announced") {
    sim_begin_procs(1, 2);
    sim_main_beside_unblocker(asleep_main, 4, false);
}

/* Few threads and many rounds: main blocks on the only processor, another goroutine waits
   for it, and when that has run there is nothing else. */
#define MANY_LOOKS 40 /* a thread that sleeps is found asleep at one of them */

static int retaken_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 8); round > 0; round--) {
        bool announced = sim_pick(0, 2) == 0;
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        if (announced) {
            tuco_blocking_enter();
        }
        sim_block();
        if (announced) {
            tuco_blocking_exit();
        }
        sim_jobs_spawn(&all, sim_pick(1, 3));
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(retaken, "a thread comes back while sysmon takes its processor") {
    sim_begin_procs(1, 1);
    sim_main_beside_unblocker(retaken_main, MANY_LOOKS, false);
}

/* Some block, lose their Ps and then compute without a call. Meanwhile others compute, so
   that no P is idle: each of the first gets a P again in its turn. One of the others that
   has lost its P, and so left one idle, takes it again. */
static int to_recall;
static int recalled;

static void block_and_compute(void *job) {
    sim_job_begins(job);
    sim_block();
    sim_hog_until_attached();
    recalled++;
    sim_job_ends(job);
}

static void compute_beside(void *job) {
    sim_job_begins(job);
    while (recalled < to_recall) {
        sim_hog(TUCO_MILLISECOND);
        if (sim_has_lost_p()) {
            tuco_yield();
        }
    }
    sim_job_ends(job);
}

static int recalled_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(1, 3); round > 0; round--) {
        recalled = 0;
        to_recall = sim_pick(1, 2);
        for (int i = 0; i < to_recall; i++) {
            sim_check(tuco_wg_go(&all, block_and_compute, sim_job_next()) == 0);
        }
        for (int i = sim_pick(0, 1) + sim_procs(); i > 0; i--) {
            sim_check(tuco_wg_go(&all, compute_beside, sim_job_next()) == 0);
        }
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(recalled, "goroutines that lost their processors compute beside others") {
    sim_begin_procs(1, 2);
    sim.steady = true;
    sim_main_beside_unblocker(recalled_main, MANY_LOOKS, false);
}

/* main sleeps beside goroutines that block and compute. A slice is longer than any of them
   may wait: if one goes on where main should, that is noticed. */
static int slept;

static void compute_until_slept(void *job) {
    sim_job_begins(job);
    if (sim_pick(0, 1)) {
        sim_block();
    }
    sim_hog_until(&slept, 1);
    sim_job_ends(job);
}

static int sleeper_main(void *unused) {
    (void)unused;
    slept = 0;
    /* Sysmon takes a thread that is stalled for asleep: main would wait for a slice. */
    tuco_preempt_off();
    for (int i = sim_pick(2, 4); i > 0; i--) {
        sim_check(tuco_wg_go(&all, compute_until_slept, sim_job_next()) == 0);
    }
    for (int i = sim_pick(1, 4); i > 0; i--) {
        tuco_sleep(sim_pick(1, 3) * TUCO_MILLISECOND);
    }
    tuco_preempt_on();
    slept = 1;
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(sleeper, "main sleeps beside goroutines that block and compute for long") {
    sim_begin_procs(1, 2);
    tuco_config config = {.procs = sim_procs(), .slice = 10 * SIM_HOG_LATE_NS};
    sim_check(tuco_configure(&config) == 0);
    sim.steady = true;
    sim_main_beside_unblocker(sleeper_main, MANY_LOOKS, false);
}

/* It blocks as soon as it is asked to yield, most often. */
static int urged_main(void *unused) {
    (void)unused;
    for (int round = sim_pick(2, 8); round > 0; round--) {
        for (int i = sim_pick(1, 2); i > 0; i--) {
            sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        }
        sim_hog_until_asked();
        sim_block();
        tuco_wg_wait(&all);
    }
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(urged, "a signal of the program's own comes while a processor is taken") {
    sim_begin_procs(1, 1);
    os_sim.membarrier = sim_pick(0, 3) == 0;
    sim_main_beside_unblocker(urged_main, MANY_LOOKS, true);
}

/* A wired goroutine takes the only processor from the thread that has it, and leaves it
   without a thread. When the first one, spare now, has not been needed for long, there is
   work. */
static tuco_chan *calls;

static void wired_callee(void *unused) {
    (void)unused;
    int call;
    tuco_lock_thread();
    while (tuco_chan_recv(calls, &call) == 0) {
    }
}

static void call_wired(void) {
    int call = 0;
    sim_check(tuco_chan_send(calls, &call) == 0);
    sim_sleep_until(sim.now_ns + sim_pick(0, 2) * TUCO_SECOND);
}

static void submit_to_spares(void *unused) {
    (void)unused;
    sim_check(tuco_wg_go(&all, wired_callee, NULL) == 0);
    for (int round = sim_pick(2, 6); round > 0; round--) {
        sim_jobs_spawn(&all, sim_pick(1, 2));
        sim_sleep_until(sim.now_ns + TUCO_SECOND);
        call_wired();
        sim_sleep_near_due("tuco", -70, 10);
    }
    sim_jobs_spawn(&all, sim_pick(1, 2));
    tuco_chan_close(calls);
    tuco_wg_wait(&all);
}

static void run_spares(void (*submit)(void *), int procs_max) {
    sim_begin_procs(1, procs_max);
    calls = tuco_chan_make(sizeof(int), 1);
    sim_check(calls != NULL);
    sim_check(tuco_start() == 0);
    sim_threads_join(sim_threads_start(submit, 1));
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    tuco_chan_unref(calls);
    sim_check(sim_threads_alive() == 1);
}

SIM_SCENARIO(midle, "threads without a processor end, or get one in that moment") {
    run_spares(submit_to_spares, sim_pick(0, 3) == 3 ? 2 : 1);
}

/* The only thread that is not wired is spare, its processor has none, and sysmon
   sleeps for good: a thread that queues work has to wake it, or no other goroutine has a
   turn. */
static tuco_wg computed;
static int begun;

static void begin_child(void *job) {
    begun++;
    sim_job(job);
}

static void compute_until_child(void *job) {
    sim_job_begins(job);
    sim_check(tuco_wg_go(&computed, begin_child, sim_job_next()) == 0);
    sim_hog_until(&begun, 1);
    sim_job_ends(job);
}

static void submit_to_spare(void *unused) {
    (void)unused;
    sim_check(tuco_wg_go(&all, wired_callee, NULL) == 0);
    for (int round = sim_pick(1, 3); round > 0; round--) {
        int call = 0;
        sim_sleep_until(sim.now_ns + sim_pick(0, 1) * TUCO_MILLISECOND);
        sim_check(tuco_chan_send(calls, &call) == 0);
        sim_sleep_until(sim.now_ns + sim_pick(1, 3) * 100 * TUCO_MILLISECOND);
        begun = 0;
        sim_check(tuco_wg_go(&computed, compute_until_child, sim_job_next()) == 0);
        tuco_wg_wait(&computed);
    }
    tuco_chan_close(calls);
    tuco_wg_wait(&all);
}

SIM_SCENARIO(midle_dormant, "a spare thread gets work while sysmon sleeps for good") {
    sim.steady = true;
    run_spares(submit_to_spare, 1);
}

/* A runtime ends behind goroutines that come back just when sysmon would take their
   processor. */
static int64_t last_end_ns;

static void end_job(void *job) {
    sim_job_ends(job);
    last_end_ns = sim.now_ns;
}

static void block_and_end(void *job) {
    sim_job_begins(job);
    sim_block();
    end_job(job);
}

/* With the processor that was taken; the other comes back, most often, and gets none. */
static void unblock_and_end(void *job) {
    sim_job_begins(job);
    if (sim_pick(0, 3) != 0) {
        sim_unblock_all();
        for (int turns = sim_pick(0, 120); turns > 0; turns--) {
            sim_spin(); /* it goes first, some of its way */
        }
    }
    end_job(job);
}

SIM_SCENARIO(retaken_stop, "a runtime ends while sysmon takes a processor") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    sim_jobs_clear();
    sim_unblocker_start(MANY_LOOKS, false);
    for (int run = sim_pick(2, 10); run > 0; run--) {
        sim_check(tuco_start() == 0);
        sim_check(tuco_go(block_and_end, sim_job_next()) == 0);
        sim_check(tuco_go(unblock_and_end, sim_job_next()) == 0);
        sim_check(tuco_stop(TUCO_NEVER) == 0);
        sim_check(sim.now_ns - last_end_ns < SIM_LATE_NS);
    }
    sim_unblocker_join();
    sim_check(sim_threads_alive() == 1);
    sim_jobs_check();
}
