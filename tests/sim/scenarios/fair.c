/* SPDX-License-Identifier: MIT */
/* Fairness on one processor, counted in turns: no goroutine waits for others that are
   always ready. The bounds are those of docs/design/fairness.md. */
#include "scenario.h"

#include "sched/sched.h"
#include <limits.h>

static tuco_wg all;

static struct {
    int turns;   /* of those that are always ready */
    int waiting; /* those that have not had their turn */
} fair;

static void take_turn(void *unused) {
    (void)unused;
    fair.waiting--;
    tuco_wg_done(&all);
}

static void spawn_waiting(int count) {
    fair.turns = 0;
    fair.waiting = count;
    tuco_wg_add(&all, count);
    for (int i = 0; i < count; i++) {
        sim_check(tuco_go(take_turn, NULL) == 0);
    }
}

/* Goroutines that yield go behind all that is runnable, be it in the global queue. */

#define YIELDERS 3

/* More than a ring holds. */
#define SPAWNED 300

/* Each has a turn at first. A turn at every 61st slice is theirs besides, and one more if
   the spawner's own ring is taken to the global queue in halves. */
#define YIELD_TURNS (2 * YIELDERS + SPAWNED / 61 + 1)

static void yield_on(void *unused) {
    (void)unused;
    while (fair.waiting > 0) {
        tuco_yield();
        fair.turns++;
    }
    tuco_wg_done(&all);
}

static int yield_main(void *unused) {
    (void)unused;
    fair.waiting = 1;
    tuco_wg_add(&all, YIELDERS);
    for (int i = 0; i < YIELDERS; i++) {
        sim_check(tuco_go(yield_on, NULL) == 0);
    }
    tuco_yield();
    spawn_waiting(SPAWNED);
    tuco_wg_wait(&all);
    sim_check(fair.turns <= YIELD_TURNS);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_yield, "goroutines that yield give way to more than a ring holds") {
    sim_begin_procs(1, 1);
    sim_main(yield_main);
}

/* Two that wake each other through runnext share a slice; when it is over, all that
   waits has its turn before them. */

#define BESIDE   10
#define SLICE_NS 50000

/* What two slices and the looks of sysmon last, in rounds. */
#define ROUNDS_MAX 4000

static tuco_chan *there;
static tuco_chan *back;

static void answer(void *unused) {
    (void)unused;
    int value;
    while (tuco_chan_recv(there, &value) == 0) {
        sim_check(tuco_chan_send(back, &value) == 0);
    }
    tuco_wg_done(&all);
}

static int talk_main(void *unused) {
    (void)unused;
    int value = 0;
    there = tuco_chan_make(sizeof value, 0);
    back = tuco_chan_make(sizeof value, 0);
    tuco_wg_add(&all, 1);
    sim_check(tuco_go(answer, NULL) == 0);
    tuco_yield(); /* it waits from here on */
    spawn_waiting(BESIDE);
    while (fair.waiting > 0) {
        sim_check(tuco_chan_send(there, &value) == 0);
        sim_check(tuco_chan_recv(back, &value) == 0);
        fair.turns++;
        sim_check(fair.turns < ROUNDS_MAX);
    }
    tuco_chan_close(there);
    tuco_wg_wait(&all);
    tuco_chan_unref(there);
    tuco_chan_unref(back);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_slice, "two that talk give way to those in the ring after a slice") {
    sim_begin_procs(1, 1);
    tuco_config config = {.procs = 1, .slice = SLICE_NS};
    sim_check(tuco_configure(&config) == 0);
    sim_main(talk_main);
}

/* Pairs that talk to each other share the processor: none waits for a slice of each other
   pair. */

#define PAIRS          8
#define PAIR_TURNS     1500
#define PAIR_WORK_NS   20000
#define PAIR_SLICE_NS  2000000
#define PAIR_TURNS_MAX (5 * PAIR_SLICE_NS / PAIR_WORK_NS)

static struct pair {
    tuco_chan *there;
    tuco_chan *back;
    int last; /* value of fair.turns at its last turn; 0: the end of main's slice may have
                 moved one of the two behind all others */
} pairs[PAIRS];

static int pair_turns_max;

/* Opened at a turn of the pairs, if goroutines wait at it. */
#define LISTED_FROM 200

static tuco_wg gate;
static bool gate_open;

static void answer_pair(void *raw) {
    struct pair *pair = raw;
    int value;
    while (tuco_chan_recv(pair->there, &value) == 0) {
        sim_check(tuco_chan_send(pair->back, &value) == 0);
    }
    tuco_wg_done(&all);
}

static void ask_pair(void *raw) {
    struct pair *pair = raw;
    int value = 0;
    while (fair.turns < PAIR_TURNS || fair.waiting > 0) {
        if (fair.turns == LISTED_FROM && !gate_open) {
            gate_open = true;
            tuco_wg_done(&gate);
        }
        for (int64_t end = sim.now_ns + PAIR_WORK_NS; sim.now_ns < end;) {
            sim_spin();
        }
        sim_check(tuco_chan_send(pair->there, &value) == 0);
        sim_check(tuco_chan_recv(pair->back, &value) == 0);
        sim_check(pair->last == 0 || fair.turns - pair->last <= pair_turns_max);
        pair->last = fair.turns++;
    }
    tuco_chan_close(pair->there);
    tuco_wg_done(&all);
}

static void run_pairs(void) {
    fair.turns = 0;
    tuco_wg_add(&all, 2 * PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i] = (struct pair){.there = tuco_chan_make(sizeof(int), 0),
                                 .back = tuco_chan_make(sizeof(int), 0)};
        sim_check(tuco_go(answer_pair, &pairs[i]) == 0);
        sim_check(tuco_go(ask_pair, &pairs[i]) == 0);
    }
    tuco_wg_wait(&all);
    for (int i = 0; i < PAIRS; i++) {
        tuco_chan_unref(pairs[i].there);
        tuco_chan_unref(pairs[i].back);
    }
}

static void begin_pairs(void) {
    sim_begin_procs(1, 1);
    tuco_config config = {.procs = 1, .slice = PAIR_SLICE_NS};
    sim_check(tuco_configure(&config) == 0);
    sim.steady = true;
    fair.waiting = 0;
    gate_open = true;
}

static int pairs_main(void *unused) {
    (void)unused;
    pair_turns_max = PAIR_TURNS_MAX;
    run_pairs();
    return SIM_RESULT;
}

SIM_SCENARIO(fair_pairs, "pairs that talk to each other share the processor") {
    begin_pairs();
    sim_main(pairs_main);
}

/* More goroutines than the ring has room for are woken at once beside the pairs, and go
   into the list of the global queue. */

#define LISTED       700
#define LISTED_TURNS 800

static int at_gate;

static void wait_at_gate(void *unused) {
    at_gate++;
    tuco_wg_wait(&gate);
    sim_check(fair.turns - LISTED_FROM <= LISTED_TURNS);
    take_turn(unused);
}

static int list_main(void *unused) {
    (void)unused;
    fair.waiting = LISTED;
    pair_turns_max = INT_MAX; /* pairs overflow the ring too */
    gate_open = false;
    at_gate = 0;
    tuco_wg_add(&gate, 1);
    tuco_wg_add(&all, LISTED);
    for (int i = 0; i < LISTED; i++) {
        sim_check(tuco_go(wait_at_gate, NULL) == 0);
    }
    while (at_gate < LISTED) {
        tuco_yield();
    }
    run_pairs();
    return SIM_RESULT;
}

SIM_SCENARIO(fair_list, "a ring that is never empty does not starve a list") {
    begin_pairs();
    sim_main(list_main);
}

/* A wired goroutine that is woken while no P is idle waits for those in line, and not for
   the 61st slice. It is woken again at once when it has run: then it waits for its turn. */

#define WIRED_ROUNDS 6

/* Those in line are the others and main. The turn under way and one more for each of the
   two queues may come before a look. */
#define WIRED_TURNS (YIELDERS + 1 + 4)

static void answer_wired(void *unused) {
    (void)unused;
    int value;
    tuco_lock_thread();
    while (tuco_chan_recv(there, &value) == 0) {
        sim_check(fair.turns <= WIRED_TURNS);
        fair.turns = 0;
        sim_check(tuco_chan_send(back, &value) == 0);
    }
    tuco_wg_done(&all);
}

static int wired_turn_main(void *unused) {
    (void)unused;
    int value = 0;
    there = tuco_chan_make(sizeof value, 1);
    back = tuco_chan_make(sizeof value, 1);
    fair.waiting = 1;
    tuco_wg_add(&all, YIELDERS + 1);
    sim_check(tuco_go(answer_wired, NULL) == 0);
    for (int i = 0; i < YIELDERS; i++) {
        sim_check(tuco_go(yield_on, NULL) == 0);
    }
    for (int i = 0; i < WIRED_ROUNDS; i++) {
        fair.turns = 0;
        sim_check(tuco_chan_send(there, &value) == 0);
        while (tuco_chan_try_recv(back, &value) != 0) {
            tuco_yield();
        }
    }
    fair.waiting = 0;
    tuco_chan_close(there);
    tuco_wg_wait(&all);
    tuco_chan_unref(there);
    tuco_chan_unref(back);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_lockedm, "a woken wired goroutine has its turn after those in line") {
    sim_begin_procs(1, 1);
    sim_main(wired_turn_main);
}

/* Goroutines that compute are stopped one after the other, and each puts the next one in
   line. The first of them has its turn all the same. Usually four begin before; more if a
   thread is stalled. */

#define CHAIN      60
#define CHAIN_MOST 30

static struct {
    int begun;
    int over;
    bool lost; /* sysmon took a P: then others begin without a stop */
} chain;

static void compute_until(const int *what, int value) {
    while (*what < value) {
        sim_hog(1);
        chain.lost |= sim_has_lost_p();
    }
}

static void compute_in_chain(void *unused) {
    (void)unused;
    bool first = ++chain.begun == 1;
    if (chain.begun < CHAIN) {
        sim_check(tuco_wg_go(&all, compute_in_chain, NULL) == 0);
    }
    if (!first) {
        compute_until(&chain.over, 1);
        return;
    }
    compute_until(&chain.begun, 2);
    sim_check(chain.begun <= CHAIN_MOST || chain.lost);
    chain.over = 1;
}

static int stopped_main(void *unused) {
    (void)unused;
    chain.begun = chain.over = 0;
    chain.lost = false;
    sim_check(tuco_wg_go(&all, compute_in_chain, NULL) == 0);
    tuco_wg_wait(&all);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_stopped,
             "a stopped goroutine has its turn although others are stopped") {
    sim_begin_procs(1, 1);
    sim.steady = true;
    sim_main(stopped_main);
}

/* A goroutine whose timer is due when the slice of two that talk is over does not go
   behind those that yielded. */

#define SLEEPS 4

/* The owner reads the clock after each turn of those that yield, or after the second one
   behind a short turn of those that talk. */
#define LATE_TURNS 2

/* A timer that is armed all the time, so that the P learns in the first sleep how long
   turns take. */
#define FAR_NS (3600 * TUCO_SECOND)

#define YIELDER_NS (40 * TUCO_MICROSECOND)
#define ASKER_NS   (20 * TUCO_MICROSECOND)

static tuco_time due_at;
static bool sleeps;    /* the sleeper's timer is armed: it may have to yield before */
static int late_turns; /* of those that yield, begun since */

static void compute_for(tuco_duration duration) {
    for (int64_t end = sim.now_ns + duration; sim.now_ns < end;) {
        sim_spin();
        sleeps |= rt_load_rlx(&rt_sched.ps[0].clock.next_ns) < FAR_NS;
    }
}

static void compute_and_yield(void *unused) {
    (void)unused;
    while (fair.waiting > 0) {
        late_turns += sleeps && sim.now_ns >= due_at;
        compute_for(YIELDER_NS);
        tuco_yield();
    }
    tuco_wg_done(&all);
}

static void ask_on(void *unused) {
    (void)unused;
    int value = 0;
    while (fair.waiting > 0) {
        sim_check(tuco_chan_send(there, &value) == 0);
        compute_for(ASKER_NS);
        sim_check(tuco_chan_recv(back, &value) == 0);
    }
    tuco_chan_close(there);
    tuco_wg_done(&all);
}

static int timer_slice_main(void *unused) {
    (void)unused;
    there = tuco_chan_make(sizeof(int), 0);
    back = tuco_chan_make(sizeof(int), 0);
    tuco_timer *far = tuco_timer_make(FAR_NS);
    fair.waiting = 1;
    due_at = TUCO_NEVER;
    tuco_wg_add(&all, YIELDERS + 2);
    sim_check(tuco_go(answer, NULL) == 0);
    sim_check(tuco_go(ask_on, NULL) == 0);
    for (int i = 0; i < YIELDERS; i++) {
        sim_check(tuco_go(compute_and_yield, NULL) == 0);
    }
    tuco_sleep(2 * TUCO_MILLISECOND);
    for (int i = 0; i < SLEEPS; i++) {
        late_turns = 0;
        sleeps = false;
        due_at = tuco_deadline(sim_pick(100, 900) * TUCO_MICROSECOND);
        tuco_sleep_until(due_at);
        sim_check(late_turns <= LATE_TURNS);
    }
    fair.waiting = 0;
    tuco_wg_wait(&all);
    tuco_timer_free(far);
    tuco_chan_unref(there);
    tuco_chan_unref(back);
    return SIM_RESULT;
}

SIM_SCENARIO(fair_timer, "a timer that is due goes before those whose slice is over") {
    sim_begin_procs(1, 1);
    tuco_config config = {.procs = 1, .slice = SLICE_NS};
    sim_check(tuco_configure(&config) == 0);
    sim_main(timer_slice_main);
}

/* While others are always ready, a goroutine that yielded waits for eight times the turn of
   the one before it, of which at most a slice counts. */

#define CROWD      6
#define WORK_NS    10000
#define LONG_NS    20000000
#define LONG_TURNS (8 * SLICE_NS / WORK_NS + 4 * 61)

static struct {
    tuco_chan *rounds[CROWD];
    int arrived;
    int turns; /* since the long turn, or since the others were woken */
    bool over; /* the long turn; or the others were woken */
    int64_t work_ns;
    int turns_max;
} crowd;

/* Each channel has room for one value. It is full only at the end. */
static void wake_all_but(int self) {
    for (int i = 0; i < CROWD; i++) {
        if (i != self) {
            (void)tuco_chan_try_send(crowd.rounds[i], &(int){0});
        }
    }
}

/* Waits until all are here. The last one wakes the others, into the ring. */
static void meet(int self) {
    int value;
    if (++crowd.arrived < CROWD) {
        sim_check(tuco_chan_recv(crowd.rounds[self], &value) == 0);
        return;
    }
    crowd.arrived = 0;
    wake_all_but(self);
}

static void work(void *number) {
    int self = (int)(intptr_t)number;
    while (fair.waiting > 0) {
        for (int64_t end = sim.now_ns + crowd.work_ns; sim.now_ns < end;) {
            sim_spin();
        }
        crowd.turns++;
        sim_check(!crowd.over || crowd.turns <= crowd.turns_max);
        meet(self);
    }
    wake_all_but(self);
    tuco_wg_done(&all);
}

static void crowd_begin(int64_t work_ns, int turns_max) {
    crowd.arrived = crowd.turns = 0;
    crowd.over = false;
    crowd.work_ns = work_ns;
    crowd.turns_max = turns_max;
    tuco_wg_add(&all, CROWD);
    for (int i = 0; i < CROWD; i++) {
        crowd.rounds[i] = tuco_chan_make(sizeof(int), 1);
        sim_check(tuco_go(work, (void *)(intptr_t)i) == 0);
    }
}

static void crowd_end(void) {
    tuco_wg_wait(&all);
    for (int i = 0; i < CROWD; i++) {
        tuco_chan_unref(crowd.rounds[i]);
    }
}

static void compute_long(void *unused) {
    (void)unused;
    tuco_yield();
    tuco_preempt_off();
    for (int64_t end = sim.now_ns + LONG_NS; sim.now_ns < end;) {
        sim_hog(LONG_NS);
    }
    crowd.turns = 0;
    crowd.over = true;
    tuco_preempt_on();
    tuco_wg_done(&all);
}

static int long_turn_main(void *unused) {
    (void)unused;
    fair.waiting = 1;
    crowd_begin(WORK_NS, LONG_TURNS);
    tuco_wg_add(&all, 1);
    sim_check(tuco_go(compute_long, NULL) == 0);
    while (!crowd.over) {
        tuco_yield();
    }
    fair.waiting = 0;
    crowd_end();
    return SIM_RESULT;
}

SIM_SCENARIO(fair_long_turn, "a long turn does not starve the next one that yielded") {
    sim_begin_procs(1, 1);
    tuco_config config = {.procs = 1, .slice = SLICE_NS};
    sim_check(tuco_configure(&config) == 0);
    sim.steady = true;
    sim_main(long_turn_main);
}
