/* SPDX-License-Identifier: MIT */
/* Sleepers and timers: firing, stopping, and the last timer. */
#include "os_sim.h"
#include "scenario.h"
#include "sched/deadlock.h"

#include <errno.h>

#define SLEEPERS_MAX 12
#define TIMERS_MAX   8

static tuco_wg all;

/* About as long as an M lingers, or sleeps, or as sysmon's tick. */
static tuco_time some_span(void) {
    return sim_pick(0, 9) == 9 ? TUCO_MILLISECOND : sim_pick(0, 60) * TUCO_MICROSECOND;
}

static void check_time(tuco_time deadline) {
    sim_check(tuco_now() >= deadline);
    sim_check(!sim.steady || tuco_now() - deadline < SIM_LATE_NS);
}

/* Sleepers */

static int computing;

/* Its processor comes to no timers meanwhile. Not on the only one. */
static void compute_some(void) {
    if (sim_procs() > 1 && !computing && sim_pick(0, 5) == 5) {
        computing = 1;
        for (int64_t end = sim.now_ns + TUCO_MILLISECOND; sim.now_ns < end;) {
            sim_spin();
        }
        computing = 0;
    }
}

static void sleeper(void *unused) {
    (void)unused;
    for (int i = sim_pick(1, 5); i > 0; i--) {
        tuco_time deadline = tuco_deadline(some_span());
        tuco_sleep_until(deadline);
        check_time(deadline);
        compute_some();
        if (sim_pick(0, 3) == 3) {
            tuco_yield();
        }
    }
}

static int sleepers_main(void *unused) {
    (void)unused;
    sim_search();
    for (int i = sim_pick(1, SLEEPERS_MAX); i > 0; i--) {
        sim_check(tuco_wg_go(&all, sleeper, NULL) == 0);
        sim_pause_some(20);
    }
    sleeper(NULL);
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(sleepers, "goroutines sleep, none too short, and none is forgotten") {
    sim_begin();
    sim.steady = sim_pick(0, 1);
    computing = 0;
    sim_main_twice(sleepers_main);
}

/* A processor computes, and comes to its timers only when others have fired them. */

static int asleep;
static int woken;

static void sleep_once(void *unused) {
    (void)unused;
    asleep++;
    tuco_sleep(some_span());
    woken++;
}

static int hog_main(void *unused) {
    (void)unused;
    int count = sim_pick(1, 3);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_go(sleep_once, NULL) == 0);
    }
    while (asleep < count) {
        tuco_yield();
    }
    sim_search();
    sim_await(&woken, count);
    return SIM_RESULT;
}

SIM_SCENARIO(hog_timers, "timers of a processor that computes are fired by others") {
    sim_begin_procs(2, 4);
    sim.steady = true;
    asleep = woken = 0;
    sim_main(hog_main);
}

/* A processor that is busy in turns comes to its timers between them. */

static tuco_time due_at;
static int late_turns; /* begun since */
static int turns_over;
static tuco_wg short_ones;

static void take_turns(void *unused) {
    (void)unused;
    while (!turns_over) {
        late_turns += sim.now_ns >= due_at;
        for (int64_t end = sim.now_ns + 40 * TUCO_MICROSECOND; sim.now_ns < end;) {
            sim_spin();
        }
        tuco_yield();
    }
}

static void take_short_turn(void *unused) {
    (void)unused;
}

/* So many that the processor looks at the clock as seldom as it ever does. */
static void take_short_turns(void) {
    for (int i = 0; i < 3 * 61; i++) {
        sim_check(tuco_wg_go(&short_ones, take_short_turn, NULL) == 0);
    }
    tuco_wg_wait(&short_ones);
}

/* Likewise those that yield, since no timer is armed meanwhile. */
static void take_turns_without_timer(void) {
    for (int i = 0; i < 130; i++) {
        tuco_yield();
    }
}

/* How many turns the processor takes after a time has come and before the goroutine that
   sleeps until then goes on. */
static int sleep_among_turns(void) {
    switch (sim_pick(0, 2)) {
    case 1: take_short_turns(); break;
    case 2: take_turns_without_timer(); break;
    default: break;
    }
    due_at = tuco_deadline(sim_pick(100, 600) * TUCO_MICROSECOND);
    late_turns = 0;
    tuco_sleep_until(due_at);
    return late_turns;
}

/* For the first sleep the processor does not know yet how long turns take. From then on
   it looks at the clock after each, and the ring comes before the woken goroutine. A timer
   that is far off may be armed all the time, so that the sleep is not the first timer. */
static int turns_main(void *unused) {
    (void)unused;
    int turners = sim_pick(1, 3);
    tuco_timer *far = sim_pick(0, 1) ? tuco_timer_make(3600 * TUCO_SECOND) : NULL;
    turns_over = 0;
    due_at = TUCO_NEVER;
    for (int i = 0; i < turners; i++) {
        sim_check(tuco_wg_go(&all, take_turns, NULL) == 0);
    }
    sim_search();
    due_at = tuco_deadline(4 * TUCO_MILLISECOND);
    tuco_sleep_until(due_at);
    for (int i = sim_pick(1, 4); i > 0; i--) {
        sim_check(sleep_among_turns() <= 2 * turners + 8);
    }
    turns_over = 1;
    tuco_wg_wait(&all);
    tuco_timer_free(far);
    return SIM_RESULT;
}

SIM_SCENARIO(timer_turns, "a timer that is due is fired at the next scheduling") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    sim_main(turns_main);
}

/* Stop against fire */

static int fired[TIMERS_MAX];

static void count_fired(void *count) {
    (*(int *)count)++;
    tuco_wg_done(&all);
}

#define FAR_SPAN (3600 * TUCO_SECOND)

/* A value that was not received does not come after the stop. */
static void stop_channel(void *unused) {
    (void)unused;
    tuco_timer *t = tuco_timer_make(some_span());
    sim_check(t != NULL);
    for (int i = sim_pick(1, 5); i > 0; i--) {
        tuco_sleep(some_span());
        sim_pause_some(30);
        bool received = tuco_chan_try_recv(tuco_timer_chan(t), NULL) == 0;
        int64_t far_ns = sim.now_ns + FAR_SPAN;
        bool was_set =
            sim_pick(0, 1) ? tuco_timer_stop(t) : tuco_timer_reset(t, FAR_SPAN);
        sim_check(was_set == !received);
        bool none = tuco_chan_try_recv(tuco_timer_chan(t), NULL) == -EAGAIN;
        sim_check(none || sim.now_ns >= far_ns); /* time may have jumped as far as that */
        tuco_timer_reset(t, some_span());
    }
    if (sim_pick(0, 1)) {
        tuco_time deadline = tuco_deadline(0);
        sim_check(tuco_chan_recv(tuco_timer_chan(t), NULL) == 0);
        check_time(deadline);
    }
    tuco_timer_free(t);
}

/* A function runs once or, if it was stopped in time, not at all. */
static void stop_function(void *count) {
    tuco_wg_add(&all, 1);
    tuco_timer *t = tuco_timer_func(some_span(), count_fired, count);
    sim_check(t != NULL);
    tuco_sleep(some_span());
    sim_pause_some(30);
    if (tuco_timer_stop(t)) {
        sim_check(*(int *)count == 0);
        *(int *)count = -1;
        tuco_wg_done(&all);
    }
    tuco_timer_free(t);
}

static void stop_some(int first) {
    for (int i = first; i < first + sim_pick(1, TIMERS_MAX / 2); i++) {
        fired[i] = 0;
        sim_check(tuco_wg_go(&all, stop_function, &fired[i]) == 0);
        sim_check(tuco_wg_go(&all, stop_channel, NULL) == 0);
    }
}

static void check_fired(void) {
    for (int i = 0; i < TIMERS_MAX; i++) {
        sim_check(fired[i] == 0 || fired[i] == 1 || fired[i] == -1);
    }
}

static int stop_fire_main(void *unused) {
    (void)unused;
    sim_search();
    stop_some(0);
    tuco_wg_wait(&all);
    check_fired();
    return SIM_RESULT;
}

SIM_SCENARIO(stop_fire, "timers are stopped, reset and freed just when they fire") {
    sim_begin();
    sim_main(stop_fire_main);
}

/* Threads */

static void thread_with_timers(void *number) {
    for (int i = sim_pick(1, 4); i > 0; i--) {
        tuco_time deadline = tuco_deadline(some_span());
        tuco_chan *c = tuco_after(deadline - tuco_now());
        sim_check(c != NULL);
        if (sim_pick(0, 3) > 0) {
            sim_check(tuco_chan_recv(c, NULL) == 0);
            check_time(deadline);
        }
        tuco_chan_unref(c);
        if (sim_pick(0, 1)) {
            sim_sleep_some(); /* sysmon, too, goes to sleep for long */
        }
    }
    stop_channel(NULL);
    stop_function(&fired[(intptr_t)number]);
}

SIM_SCENARIO(thread_timers, "threads set timers while sysmon goes to sleep") {
    sim_begin_procs(1, 4);
    sim.steady = sim_pick(0, 1);
    for (int i = 0; i < TIMERS_MAX; i++) {
        fired[i] = 0;
    }
    sim_check(tuco_start() == 0);
    sim_search();
    int count = sim_threads_start(thread_with_timers, sim_pick(1, 3));
    if (sim_pick(0, 1)) {
        stop_some(count);
    }
    sim_threads_join(count);
    tuco_wg_wait(&all);
    check_fired();
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}

/* The last timer */

static tuco_timer *last;

static void open_all(void *unused) {
    (void)unused;
    tuco_wg_done(&all);
}

/* Once the timer is set it stands for the thread, which ends. */
static void set_and_leave(void *unused) {
    (void)unused;
    sim_pause_some(100);
    last = tuco_timer_func(some_span(), open_all, NULL);
    sim_check(last != NULL);
}

static int wait_main(void *unused) {
    (void)unused;
    sim_threads_start(set_and_leave, 1);
    sim_search();
    sim_pause_some(30);
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(timer_last, "only a timer can still wake a goroutine") {
    sim_begin();
    tuco_wg_add(&all, 1);
    sim_check(tuco_run(wait_main, NULL) == SIM_RESULT);
    sim_threads_join(1);
    tuco_timer_free(last);
    sim_check(sim_threads_alive() == 1);
}

/* A processor that has been idle for a second looks again, and finds it: too late. */
static void expect_report(void) {
    tuco_sleep(SIM_LATE_NS);
    sim_fail("no report of a deadlock");
}

/* The timer can wake no goroutine: the thread that fires or stops it has to notice. */
static void set_in_vain(void *unused) {
    (void)unused;
    sim_pause_some(50);
    last = tuco_timer_make(some_span());
    if (sim_pick(0, 1)) {
        sim_pause_some(100);
        tuco_timer_stop(last);
    }
    expect_report();
}

static void sleep_in_vain(void *unused) {
    (void)unused;
    tuco_sleep(some_span());
}

static int vain_main(void *unused) {
    (void)unused;
    if (sim_pick(0, 1)) {
        rt_deadlock_ignore_threads(1); /* it wakes no goroutine */
        sim_threads_start(set_in_vain, 1);
    }
    sim_search();
    for (int i = sim_pick(0, 3); i > 0; i--) {
        sim_check(tuco_go(sleep_in_vain, NULL) == 0);
    }
    if (sim_pick(0, 1)) {
        last = tuco_timer_make(some_span());
    }
    tuco_wg_wait(&all);
    return 0;
}

SIM_SCENARIO(timer_deadlock,
             "the last timer fires and wakes no goroutine: that is reported") {
    sim_begin();
    sim.steady = true;
    tuco_wg_add(&all, 1);
    os_sim.expected_end = "all goroutines are asleep - deadlock!";
    sim_fail("tuco_run returned %d", tuco_run(vain_main, NULL));
}

/* Timers that are set when the runtime ends, and are used again in the next one */

static void use_across_runs(void *unused) {
    tuco_timer *t = unused;
    sim_pause_some(100);
    tuco_timer_reset(t, some_span());
    sim_pause_some(200);
    tuco_timer_stop(t);
}

SIM_SCENARIO(timer_restart, "the runtime ends and begins again under armed timers") {
    sim_begin_procs(1, 4);
    sim.steady = true; /* not to the time of the other timer, which is far away */
    sim_check(tuco_start() == 0);
    sim_search();
    last = tuco_timer_make(some_span());
    for (int i = sim_pick(1, 3); i > 0; i--) {
        tuco_timer *other = tuco_timer_make(TUCO_NEVER / 2);
        tuco_chan *c = tuco_after(some_span());
        sim_check(other != NULL && c != NULL);
        sim_check(tuco_go(use_across_runs, last) == 0);
        sim_check(tuco_stop(TUCO_NEVER) == 0);
        sim_check(!tuco_timer_stop(other));
        tuco_timer_free(other);
        tuco_chan_unref(c);
        sim_check(tuco_start() == 0);
    }
    tuco_timer_reset(last, some_span());
    sim_check(tuco_chan_recv(tuco_timer_chan(last), NULL) == 0);
    tuco_timer_free(last);
    sim_check(tuco_stop(TUCO_NEVER) == 0);
    sim_check(sim_threads_alive() == 1);
}
