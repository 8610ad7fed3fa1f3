/* SPDX-License-Identifier: MIT */
/* Polling by idle threads, busy processors, sysmon, and what happens when one of
   them has to stop. */
#include "lines.h"
#include "os_sim.h"
#include "sched/globq.h"
#include "sched/sysmon/sysmonnote.h"
#include "sched/deadlock.h"

#include <limits.h>

static tuco_wg all;
static int count; /* of lines */

static void read_until_closed(void *line) {
    while (line_read(LINE_OF(line)) == 1) {
        sim_pause_some(4);
    }
    tuco_fd_unref(LINE_OF(line)->fd);
}

/* Readers that wait, with references of their own. */
static void start_readers(void) {
    lines_open(count);
    for (int i = 0; i < count; i++) {
        tuco_fd_ref(lines[i].fd);
        sim_check(tuco_wg_go(&all, read_until_closed, LINE_ARG(i)) == 0);
    }
}

static void stop_readers(void) {
    for (int i = 0; i < count; i++) {
        line_close(&lines[i]);
    }
    tuco_wg_wait(&all);
    lines_check(count);
}

static int fed_in_all(void) {
    int fed = 0;
    for (int i = 0; i < count; i++) {
        fed += lines[i].fed;
    }
    return fed;
}

/* So short that no other thread has to wait for it in a loop. */
static void pause_shortly(void) {
    if (sim_pick(0, 3) == 0) {
        sim_sleep_until(sim.now_ns + sim_pick(0, 300) * TUCO_MICROSECOND);
    }
    sim_pause_some(sim_pick(0, 1) ? 20 : 200);
}

static void run_beside_thread(void (*fn)(void *)) {
    sim.steady = true;
    sim_check(tuco_start() == 0);
    sim_search();
    sim_threads_join(sim_threads_start(fn, 1));
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_jobs_check();
    sim_check(sim_threads_alive() == 1);
}

/* An idle thread sleeps in the poller, and something else than a descriptor wants it. */

static void wait_for_timer(void) {
    tuco_time span = sim_pick(0, 60) * TUCO_MICROSECOND;
    tuco_time deadline = tuco_deadline(span);
    tuco_chan *c = tuco_after(span);
    sim_check(c != NULL && tuco_chan_recv(c, NULL) == 0);
    lines_check_time(deadline);
    tuco_chan_unref(c);
}

static void sleep_shortly(void *job) {
    sim_job_begins(job);
    tuco_time deadline = tuco_deadline(sim_pick(0, 60) * TUCO_MICROSECOND);
    tuco_sleep_until(deadline);
    lines_check_time(deadline);
    sim_job_ends(job);
}

static void break_out(void) {
    tuco_wg jobs = {0};
    if (sim_pick(0, 2) == 0) {
        line_feed(&lines[sim_pick(0, count - 1)]);
    }
    switch (sim_pick(0, 3)) {
    case 0: sim_jobs_spawn(&jobs, sim_pick(1, 2)); break;
    case 1: wait_for_timer(); break;
    case 2: sim_check(tuco_wg_go(&jobs, sleep_shortly, sim_job_next()) == 0); break;
    default: break;
    }
    sim_await(&sim_jobs_ended, sim_jobs_made());
    sim_await(&lines_got, fed_in_all());
    tuco_wg_wait(&jobs);
}

static void break_again_and_again(void *unused) {
    (void)unused;
    count = sim_pick(1, 3);
    start_readers();
    for (int round = sim_pick(1, 8); round > 0; round--) {
        if (sim_pick(0, 7) == 0) {
            sim_sleep_until_due("tuco");
        } else {
            lines_pause();
        }
        break_out();
    }
    stop_readers();
}

SIM_SCENARIO(netpoll_break,
             "work and timers come while an idle thread sleeps in the poller") {
    sim_begin_procs(1, 3);
    run_beside_thread(break_again_and_again);
}

/* All processors compute, or switch between goroutines; none is idle. */

static int busy_enough; /* bytes that have to arrive until they may end */

static void compute(void *job) {
    sim_job_begins(job);
    sim_hog_until(&lines_got, busy_enough);
    sim_job_ends(job);
}

#define YIELD_NS 20000 /* between two */

/* What sysmon has found comes next, wherever a goroutine gives way. */
#define URGENT_YIELDS 8

static bool urgent_waits(void) {
    sim.quiet = true;
    bool waits = rt_globq_urgent() > 0;
    sim.quiet = false;
    return waits && sim_thread_named("tuco-sysmon")->state == SIM_ASLEEP;
}

static void yield_meanwhile(void *job) {
    sim_job_begins(job);
    int64_t start_ns = sim.now_ns;
    int passed_over = 0;
    while (lines_got < busy_enough) {
        tuco_yield();
        sim_hog(YIELD_NS);
        lines_check_time(start_ns);
        passed_over = urgent_waits() ? passed_over + 1 : 0;
        sim_check(passed_over < URGENT_YIELDS);
    }
    sim_job_ends(job);
}

static void feed_the_busy(void *unused) {
    (void)unused;
    for (int fed = 0; fed < busy_enough; fed++) {
        pause_shortly();
        line_feed(&lines[fed % count]);
    }
}

static int poll_busy_main(void *unused) {
    (void)unused;
    count = sim_pick(1, 3);
    busy_enough = sim_pick(1, 2 * count);
    start_readers();
    if (sim_pick(0, 1)) {
        tuco_yield(); /* most often they wait before a processor is busy */
    }
    sim_threads_start(feed_the_busy, 1);
    for (int i = sim_pick(0, sim_procs()); i > 0; i--) {
        tuco_fn *fn = sim_pick(0, 1) ? compute : yield_meanwhile;
        sim_check(tuco_wg_go(&all, fn, sim_job_next()) == 0);
    }
    if (sim_pick(0, 1)) {
        compute(sim_job_next());
    } else {
        yield_meanwhile(sim_job_next());
    }
    sim_threads_join(1);
    stop_readers();
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(netpoll_busy, "descriptors become ready while all processors are busy") {
    sim_begin_procs(1, 2);
    sim.steady = true;
    lines_late_ns = SIM_HOG_LATE_NS;
    sim_main(poll_busy_main);
}

/* In each turn of a goroutine whose I/O is ready another one becomes ready, and sysmon
   finds it. Those in the ring have their turns all the same. */

#define FLOOD_NS    500000 /* a turn: sysmon is back in the poller when it ends */
#define FLOOD_TURNS 16

static struct {
    int fed;
    int turns;    /* of readers, since a goroutine waits in the ring */
    bool waiting; /* one does */
} flood;

static void feed_flood(void) {
    if (flood.fed < count * line_rounds) {
        line_feed(&lines[flood.fed++ % count]);
    }
}

static void wait_in_ring(void *unused) {
    (void)unused;
    flood.waiting = false;
}

static void drive_into_ring(void *unused) {
    (void)unused;
}

/* The second one drives the first into the ring. */
static void fill_ring(void) {
    flood.waiting = true;
    sim_check(tuco_wg_go(&all, wait_in_ring, NULL) == 0);
    sim_check(tuco_wg_go(&all, drive_into_ring, NULL) == 0);
    flood.turns = 0;
}

/* A reader that is asked to yield would go into the ring ahead of the next goroutine there,
   so it waits for its line only. */
static void read_flood(void *line) {
    tuco_preempt_off();
    while (LINE_OF(line)->got < line_rounds && line_read_one(LINE_OF(line)) == 1) {
        feed_flood();
        flood.turns++;
        sim_check(!flood.waiting || flood.turns <= FLOOD_TURNS);
        if (!flood.waiting) {
            fill_ring();
        }
        for (int64_t end = sim.now_ns + FLOOD_NS; sim.now_ns < end;) {
            sim_hog(1);
        }
    }
    tuco_preempt_on();
}

static int urgent_main(void *unused) {
    (void)unused;
    count = LINES_MAX;
    line_rounds = 4;
    flood.fed = 0;
    flood.waiting = false;
    lines_open(count);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, read_flood, LINE_ARG(i)) == 0);
    }
    tuco_yield();
    feed_flood();
    tuco_wg_wait(&all);
    for (int i = 0; i < count; i++) {
        line_close(&lines[i]);
    }
    lines_check(count);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_urgent, "ready I/O does not starve the ring") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    lines_late_ns = SIM_HOG_LATE_NS;
    sim_main(urgent_main);
}

/* A thread comes back from a call that blocked, and takes the processor of the one that
   polls. */

static int poll_taken_main(void *unused) {
    (void)unused;
    count = sim_pick(1, 2);
    start_readers();
    for (int round = sim_pick(1, 6); round > 0; round--) {
        bool announced = sim_pick(0, 3) != 0;
        bool while_back = sim_pick(0, 1); /* it comes back just then */
        sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        if (announced) {
            tuco_blocking_enter();
        }
        sim_block();
        if (while_back) {
            line_feed(&lines[sim_pick(0, count - 1)]);
        }
        if (announced) {
            tuco_blocking_exit();
        }
        if (!while_back) {
            line_feed(&lines[sim_pick(0, count - 1)]);
        }
        if (sim_pick(0, 3) == 0 && round > 1) {
            tuco_yield();
        } else {
            sim_hog_until(&lines_got, fed_in_all());
        }
    }
    stop_readers();
    sim_jobs_check();
    return SIM_RESULT;
}

SIM_SCENARIO(netpoll_taken, "the one that polls loses its processor") {
    sim_begin_procs(1, sim_pick(0, 3) == 3 ? 2 : 1);
    sim.steady = true;
    lines_late_ns = SIM_HOG_LATE_NS;
    sim_main_beside_unblocker(poll_taken_main, 10, false);
}

/* The number of processors changes under those that poll. */

static void resize_polling(void *unused) {
    (void)unused;
    count = sim_pick(1, 2);
    start_readers();
    for (int round = sim_pick(1, 6); round > 0; round--) {
        if (sim_pick(0, 1)) {
            sim_sleep_until(sim.now_ns + SIM_LATE_NS); /* sysmon sleeps for good */
        } else {
            lines_pause();
        }
        tuco_procs(sim_pick(1, 3));
        sim_pause_some(60);
        line_feed(&lines[sim_pick(0, count - 1)]);
        if (sim_pick(0, 1)) {
            tuco_procs(sim_pick(1, 3));
        }
        sim_await(&lines_got, fed_in_all());
    }
    stop_readers();
}

SIM_SCENARIO(netpoll_procresize, "processors are too many while their threads poll") {
    sim_begin_procs(1, 3);
    run_beside_thread(resize_polling);
}

/* Threads of the program wait, and all processors are idle. */

static void foreign_read(void *line) {
    struct line *l = LINE_OF(line);
    while (l->got < line_rounds) {
        tuco_time deadline =
            sim_pick(0, 3) == 0 ? sim.now_ns + sim_pick(0, 20000) : TUCO_NEVER;
        sim_check(tuco_fd_set_read_deadline(l->fd, deadline) == 0);
        int result = line_read(l);
        sim_check(result == 1 || (result == -ETIMEDOUT && sim.now_ns >= deadline));
        if (result == -ETIMEDOUT) {
            lines_check_time(deadline);
        }
    }
    line_close(l);
}

static void start_and_rest(void) {
    sim_check(tuco_start() == 0);
    if (sim_pick(0, 1)) {
        sim_sleep_until(sim.now_ns + SIM_LATE_NS); /* sysmon sleeps for good */
    }
}

static void stop_after(int threads) {
    sim_threads_join(threads);
    lines_check(count);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

SIM_SCENARIO(netpoll_foreign, "foreign threads wait for descriptors without goroutines") {
    sim_begin_procs(1, 3);
    sim.steady = true;
    count = sim_pick(1, 2);
    line_rounds = sim_pick(1, 4);
    start_and_rest();
    lines_open(count);
    sim_threads_start(foreign_read, count);
    for (int i = 0; i < count * line_rounds; i++) {
        lines_pause();
        line_feed(&lines[i % count]);
    }
    stop_after(count);
}

/* Then it is sysmon that polls. It is woken again and again, and has to read the
   clock each time before it sleeps on. */

static void wake_sysmon(const struct sim_thread *sysmon) {
    uint64_t reads = sysmon->clock_reads;
    rt_sysmon_wake();
    while (sysmon->clock_reads == reads) {
        if (sim_poll_sleeps(sysmon)) {
            sim_fail("sysmon sleeps in the poller, although it has been woken");
        }
        sim_spin();
    }
    sim_pause_some(60);
}

SIM_SCENARIO(netpoll_sysmon, "sysmon is woken while it lies down in the poller") {
    sim_begin_procs(1, 2);
    sim.steady = true;
    count = line_rounds = 1;
    start_and_rest();
    lines_open(count);
    sim_threads_start(foreign_read, count);
    for (int round = sim_pick(4, 40); round > 0; round--) {
        wake_sysmon(sim_thread_named("tuco-sysmon"));
    }
    line_feed(&lines[0]);
    stop_after(count);
}

/* The runtime ends and begins again under threads that wait, and handles are used in the
   next one. */

static int64_t ended_ns; /* when the runtime was about to end */
static int starts;       /* the reader sees a new start by it */
static bool reading;     /* the thread is in a call */

static void read_across_runs(void *line) {
    struct line *l = LINE_OF(line);
    while (l->got < line_rounds) {
        int started = starts;
        int64_t start_ns = sim.now_ns;
        reading = true;
        int result = line_read(l);
        reading = false;
        sim_check(result == 1 || result == -ESRCH);
        if (result == -ESRCH) {
            lines_check_time(start_ns > ended_ns ? start_ns : ended_ns);
        }
        while (result == -ESRCH && starts == started) {
            sim.self->word = &starts;
            sim_sleep_until(SIM_NEVER);
        }
    }
}

static void read_if_there(void *line) {
    struct line *l = LINE_OF(line);
    sim_check(tuco_fd_set_read_deadline(l->fd, sim.now_ns + 1000) == 0);
    int result = line_read(l);
    sim_check(result == 1 || result == -ETIMEDOUT);
    sim_check(tuco_fd_set_read_deadline(l->fd, TUCO_NEVER) == 0);
}

static void feed_some(void) {
    for (int i = sim_pick(0, 3); i > 0; i--) {
        struct line *l = &lines[sim_pick(0, 1)];
        pause_shortly();
        if (l->fed < line_rounds) {
            line_feed(l);
        }
    }
    pause_shortly();
}

/* The poller may exist before the waiter comes back to it. */
static void start_again(void) {
    sim_check(tuco_start() == 0);
    if (sim_pick(0, 1)) {
        read_if_there(LINE_ARG(1));
    }
    starts++;
    sim_wake_word(&starts, 1);
}

static void run_and_stop(void) {
    start_again();
    if (sim_pick(0, 1)) {
        sim_check(tuco_go(read_if_there, LINE_ARG(1)) == 0);
    }
    feed_some();
    ended_ns = sim.now_ns;
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    if (sim_pick(0, 1)) {
        feed_some();
    } else {
        sim_sleep_until(sim.now_ns + SIM_LATE_NS);
        sim_check(!reading);
    }
}

SIM_SCENARIO(netpoll_restart,
             "the runtime ends and begins again under threads that wait") {
    sim_begin_procs(1, 3);
    sim.steady = true;
    line_rounds = sim_pick(1, 6);
    count = 2;
    lines_open(count);
    sim_search();
    sim_threads_start(read_across_runs, 1);
    for (int runs = sim_pick(1, 3); runs > 0; runs--) {
        run_and_stop();
    }
    start_again();
    pause_shortly();
    while (lines[1].got < lines[1].fed) {
        sim_check(line_read(&lines[1]) == 1);
    }
    line_close(&lines[1]); /* the other one waits on */
    while (lines[0].fed < line_rounds) {
        pause_shortly();
        line_feed(&lines[0]);
    }
    sim_threads_join(1);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    line_close(&lines[0]);
    lines_check(count);
    sim_check(sim_threads_alive() == 1);
}

/* A deadlock is reported when the last one has read what it waited for, and not before. A
   thread of the program counts while it waits: between two reads it is outside, and may
   begin the next one just when the report is made. */

static tuco_wg never;
static const struct sim_thread *readers[LINES_MAX]; /* of lines that a thread reads */
static void (*end_as_expected)(void);

static void end_after_reads(void) {
    for (int i = 0; i < count; i++) {
        bool waits = lines[i].fed == lines[i].got && readers[i] != NULL &&
                     readers[i]->state != SIM_RUNNABLE;
        sim_check(lines[i].got == line_rounds || (readers[i] != NULL && !waits));
    }
    end_as_expected();
}

static void feed_and_expect_report(void *unused) {
    (void)unused;
    for (int i = 0; i < count * line_rounds; i++) {
        lines_pause();
        line_feed(&lines[i % count]);
    }
    sim_sleep_until(sim.now_ns + SIM_LATE_NS);
    sim_fail("no report of a deadlock");
}

static void read_a_few(void *line) {
    while (LINE_OF(line)->got < line_rounds) {
        sim_check(line_read(LINE_OF(line)) == 1);
    }
}

/* Returns when the thread waits. */
static void read_outside(int line) {
    readers[line] = sim_thread_start("reader", read_a_few, LINE_ARG(line));
    while (readers[line]->state == SIM_RUNNABLE) {
        sim_spin();
    }
}

static int poll_deadlock_main(void *unused) {
    (void)unused;
    for (int i = 0; i < count; i++) {
        readers[i] = NULL;
        if (sim_pick(0, 3) == 0) {
            read_outside(i);
        } else {
            sim_check(tuco_go(read_a_few, LINE_ARG(i)) == 0);
        }
    }
    rt_deadlock_ignore_threads(1); /* as if another process fed the lines */
    sim_threads_start(feed_and_expect_report, 1);
    sim_search();
    tuco_wg_wait(&never);
    return 0;
}

SIM_SCENARIO(netpoll_deadlock, "descriptors are waited for, and then nothing any more") {
    sim_begin_procs(1, 3);
    sim.steady = true;
    count = sim_pick(1, 2);
    line_rounds = sim_pick(1, 2);
    lines_open(count);
    tuco_wg_add(&never, 1);
    os_sim.expected_end = "all goroutines are asleep - deadlock!";
    end_as_expected = os_sim.on_exit;
    os_sim.on_exit = end_after_reads;
    sim_fail("tuco_run returned %d", tuco_run(poll_deadlock_main, NULL));
}

/* The M that polled keeps what is ready at once, and then does not get to it. */

#define KEPT_QUICK \
    1 /* rounds in which no goroutine computes, so that they are kept later */

static int kept_rounds;
static int kept_arrived;
static bool kept_spawn; /* others come into the same queue */

static void read_and_compute(void *line) {
    for (int round = 1; round <= kept_rounds; round++) {
        sim_check(line_read(LINE_OF(line)) == 1);
        if (kept_spawn && sim_pick(0, 3) == 0) {
            sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
        }
        kept_arrived++;
        if (round > KEPT_QUICK) {
            sim_await(&kept_arrived, round * count);
            sim_await(&sim_jobs_ended, sim_jobs_made());
        }
    }
    line_close(LINE_OF(line));
}

/* In one step, and most often while a thread waits for them in the kernel. */
static void feed_all_at_once(void) {
    bool asleep = sim_pick(0, 7) != 0;
    while (asleep && !sim_poll_sleeps(NULL)) {
        sim_spin();
    }
    sim.quiet = true;
    for (int i = 0; i < count; i++) {
        line_feed(&lines[i]);
    }
    sim.quiet = false;
}

static void feed_batches(void *unused) {
    (void)unused;
    int seldom = sim_pick(0, 3) == 0 ? 63 : INT_MAX - 1; /* others are not to help */
    for (int round = 1; round <= kept_rounds; round++) {
        feed_all_at_once();
        while (kept_arrived < round * count) {
            sim_spin();
            if (sim_pick(0, seldom) == 0) {
                sim_check(tuco_wg_go(&all, sim_job, sim_job_next()) == 0);
            }
        }
    }
}

static int poll_kept_main(void *unused) {
    (void)unused;
    kept_arrived = 0;
    lines_open(count);
    sim_search();
    sim_threads_start(feed_batches, 1);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_wg_go(&all, read_and_compute, LINE_ARG(i)) == 0);
    }
    tuco_wg_wait(&all);
    sim_threads_join(1);
    tuco_wg_wait(&all);
    lines_check(count);
    sim_jobs_check();
    return SIM_RESULT;
}

static void kept_begin(void) {
    sim_begin_procs(3, 5);
    sim.steady = true;
    count = sim_procs() - 1; /* one is for others */
    os_sim.membarrier = sim_pick(0, 3) == 0;
    kept_rounds = KEPT_QUICK + sim_pick(1, 3);
    kept_spawn = sim_pick(0, 1);
}

SIM_SCENARIO(netpoll_kept, "one keeps all that has become ready, and computes") {
    kept_begin();
    sim_main(poll_kept_main);
}
