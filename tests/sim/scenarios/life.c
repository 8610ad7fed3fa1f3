/* SPDX-License-Identifier: MIT */
/* Start, stop, restart, and unplanned ends. */
#include "scenario.h"
#include "os_sim.h"

#include <errno.h>

#define HAMMER_JOBS 200

static tuco_wg never;
static int closing;

static void hammer(void *unused) {
    (void)unused;
    while (!closing && sim_jobs_made() < HAMMER_JOBS) {
        void *job = sim_job_next();
        int error = tuco_go(sim_job, job);
        sim_check(error == 0 || error == -ESRCH);
        if (error != 0) {
            sim_job_take_back(job);
        }
        sim_pause_some(10);
    }
}

static void parent(void *job) {
    sim_job_begins(job);
    sim_check(tuco_go(sim_job, sim_job_next()) == 0);
    sim_job_ends(job);
}

SIM_SCENARIO(restart,
             "start, work, stop, again and again, while threads go on spawning") {
    sim_begin();
    int count = sim_threads_start(hammer, sim_pick(0, 2));
    sim_search();
    for (int i = sim_pick(2, 4); i > 0; i--) {
        if (sim_pick(0, 3) == 3) {
            sim_procs_again();
        }
        sim_check(tuco_start() == 0);
        for (int n = sim_pick(0, 5); n > 0; n--) {
            sim_check(tuco_go(sim_pick(0, 1) ? parent : sim_job, sim_job_next()) == 0);
            sim_pause_some(30);
        }
        sim_check(tuco_stop(TUCO_NEVER) == 0);
    }
    closing = true;
    sim_threads_join(count);
    sim_jobs_check();
    sim_check(tuco_stop(TUCO_NEVER) == -EINVAL);
    sim_check(sim_threads_alive() == 1);
}

/* The last goroutine ends while a thread begins to wait for that. */
SIM_SCENARIO(stop, "stop returns soon after the last goroutine has ended") {
    sim_begin_procs(1, 4);
    sim.steady = true;
    sim_search();
    for (int i = sim_pick(1, 8); i > 0; i--) {
        sim_check(tuco_start() == 0);
        for (int n = sim_pick(0, 3); n > 0; n--) {
            sim_check(tuco_go(sim_pick(0, 1) ? parent : sim_job, sim_job_next()) == 0);
        }
        sim_pause_some(sim_pick(0, 1) ? 60 : 200);
        int64_t start_ns = sim.now_ns;
        sim_check(tuco_stop(TUCO_NEVER) == 0);
        sim_check(sim.now_ns - start_ns < SIM_LATE_NS);
    }
    sim_jobs_check();
    sim_check(sim_threads_alive() == 1);
}

/* Goes on until the scenario says otherwise: too many to keep account of each. */
static int links_made;
static int links_ended;

static void chain(void *unused) {
    (void)unused;
    sim_pause_some(3);
    if (!closing) {
        links_made++;
        sim_check(tuco_go(chain, NULL) == 0);
    }
    links_ended++;
}

SIM_SCENARIO(stop_late, "stop gives up at its deadline while goroutines come and go") {
    sim_begin();
    sim_check(tuco_start() == 0);
    for (int i = sim_pick(1, 3); i > 0; i--) {
        links_made++;
        sim_check(tuco_go(chain, NULL) == 0);
    }
    sim_check(tuco_stop(tuco_deadline(sim_pick(1, 3000))) == -ETIMEDOUT);
    closing = true;
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(links_ended == links_made);
    sim_check(sim_threads_alive() == 1);
}

static void yielding_job(void *job) {
    sim_job_begins(job);
    for (int i = sim_pick(0, 8); i > 0; i--) {
        tuco_yield();
    }
    sim_job_ends(job);
}

static void wait_for_ever(void *unused) {
    (void)unused;
    tuco_wg_wait(&never);
    sim_fail("a wait returned although its group was never zero");
}

static void spawn_some(void) {
    for (int i = sim_pick(1, 10); i > 0; i--) {
        tuco_fn *fn = sim_pick(0, 1) ? wait_for_ever : yielding_job;
        sim_check(tuco_go(fn, sim_job_next()) == 0);
    }
}

static int left_main(void *unused) {
    (void)unused;
    sim_search();
    spawn_some();
    sim_pause_some(sim_pick(0, 1) ? 20 : 300);
    return SIM_RESULT;
}

/* Starts goroutines, and so perhaps threads of the runtime, when that is about to end. */
static void spawn_outside(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 6); i > 0; i--) {
        sim_pause_some(100);
        int error = tuco_go(wait_for_ever, NULL);
        sim_check(error == 0 || error == -ESRCH);
    }
}

SIM_SCENARIO(left, "main returns while others run, wait, lie in queues and come") {
    sim_begin();
    tuco_wg_add(&never, 1);
    int threads = sim_threads_start(spawn_outside, sim_pick(0, 2));
    sim_check(tuco_run(left_main, NULL) == SIM_RESULT);
    sim_threads_join(threads);
    sim_check(sim_threads_alive() == 1);
}

/* A goroutine that was waited for has ended, although it may have been asked for its P, or
   lost it, in its last moment. */

static tuco_wg waited_for;

/* Ends while sysmon looks: at its second look it asks. */
static void computing_job(void *job) {
    static const int64_t look_ns = 5000000;
    sim_job_begins(job);
    for (int i = 0; i < 2; i++) {
        int64_t next_ns = sim.next_deadline_ns - sim.now_ns;
        sim_hog(next_ns < look_ns ? next_ns : look_ns);
        sim_pause_some(20);
    }
    sim_job_ends(job);
}

static int computing_member(tuco_ctx *ctx, void *job) {
    (void)ctx;
    computing_job(job);
    return 0;
}

static int again_main(void *unused) {
    (void)unused;
    tuco_group *group = tuco_group_make(tuco_ctx_background(), 0);
    sim_search();
    for (int i = sim_pick(1, 2 * sim_procs()); i > 0; i--) {
        if (sim_pick(0, 1)) {
            sim_check(tuco_wg_go(&waited_for, computing_job, sim_job_next()) == 0);
        } else {
            sim_check(tuco_group_go(group, computing_member, sim_job_next()) == 0);
        }
    }
    sim_check(tuco_group_wait(group) == 0);
    tuco_wg_wait(&waited_for);
    return SIM_RESULT;
}

SIM_SCENARIO(again,
             "main waits for all that it started; the runtime can be started again") {
    sim_begin_procs(1, 2);
    for (int i = 0; i < 3; i++) {
        sim_check(tuco_run(again_main, NULL) == SIM_RESULT);
        sim_jobs_check();
    }
    sim_check(sim_threads_alive() == 1);
}

static int deadlock_main(void *unused) {
    (void)unused;
    sim_search();
    spawn_some();
    sim_pause_some(300);
    wait_for_ever(NULL);
    return 0;
}

SIM_SCENARIO(deadlock, "all goroutines wait for ever: that is reported") {
    sim_begin();
    tuco_wg_add(&never, 1);
    os_sim.expected_end = "all goroutines are asleep - deadlock!";
    sim_fail("tuco_run returned %d", tuco_run(deadlock_main, NULL));
}

static int main_exits_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(1, 10); i > 0; i--) {
        sim_check(tuco_go(yielding_job, sim_job_next()) == 0);
    }
    tuco_exit();
}

SIM_SCENARIO(main_exits,
             "main ends by tuco_exit; the report comes when the others are through") {
    sim_begin();
    os_sim.expected_end = "no goroutines (main called runtime.Goexit) - deadlock!";
    sim_fail("tuco_run returned %d", tuco_run(main_exits_main, NULL));
}

/* The number of goroutines, asked for by one that knows how many there are at least. */

static tuco_wg all;
static int parents;

static void make_children(void *unused) {
    (void)unused;
    parents++;
    for (int i = 0; !closing && i < 20; i++) {
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        sim_pause_some(10);
    }
    sim_await(&closing, 1);
}

static void make_children_outside(void *unused) {
    (void)unused;
    for (int i = 0; i < 10; i++) {
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        sim_pause_some(10);
    }
}

static int count_main(void *unused) {
    (void)unused;
    int threads = sim_threads_start(make_children_outside, sim_pick(1, 3));
    for (int i = sim_pick(0, sim_procs() - 1); i > 0; i--) {
        sim_check(tuco_wg_go(&all, make_children, NULL) == 0);
    }
    for (int i = sim_pick(20, 80); i > 0; i--) {
        int least = 1 + parents;
        int count = (int)tuco_count();
        sim_check(count >= least && count <= 1 + sim_procs() + sim_jobs_made());
        sim_pause_some(3);
    }
    closing = true;
    sim_threads_join(threads);
    tuco_wg_wait(&all);
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(count, "goroutines are counted while others come and go") {
    sim_begin_procs(2, 5);
    sim.steady = true;
    os_sim.debug = sim_pick(0, 1) ? "migrate=1" : NULL; /* then others run them at once */
    sim_main(count_main);
}
