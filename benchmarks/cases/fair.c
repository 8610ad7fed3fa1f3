/* SPDX-License-Identifier: MIT */
/* How long do new goroutines wait for their first turn beside others that are always
   ready? */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include <tuco.h>

#include "busy.h"
#include "cases.h"
#include "compute.h"
#include "harness.h"

#define BUSY    8
#define SPAN_NS 200000
#define SPAWNED 1000

#define TURNS_BEFORE 100
#define TURNS_MAX    20000 /* the busy goroutines stop after this many */

#define YIELDERS    20000
#define YIELD_CPU   (1000 * (int64_t)1000000)
#define CLOCK_EVERY 16

/* The spawned goroutines: each counts itself, and the last one records the turns. */

static struct {
    int64_t (*turns)(void);
    int64_t turns_at_start; /* written by the spawner, read after done */
    int64_t turns_at_end;   /* written by the last, read after done */
    atomic_int left;
    tuco_wg done;
} spawned;

/* relaxed: only the count matters; done orders turns_at_end. */
static void count_itself(void *arg) {
    (void)arg;
    if (atomic_fetch_sub_explicit(&spawned.left, 1, memory_order_relaxed) == 1) {
        spawned.turns_at_end = spawned.turns();
    }
    tuco_wg_done(&spawned.done);
}

static void spawn_all(void) {
    spawned.turns_at_start = spawned.turns();
    for (int i = 0; i < SPAWNED; i++) {
        bench_check(tuco_go(count_itself, NULL), "tuco_go");
    }
}

static void expect_spawned(int64_t (*turns)(void)) {
    spawned.turns = turns;
    atomic_store_explicit(&spawned.left, SPAWNED, memory_order_relaxed);
    tuco_wg_add(&spawned.done, SPAWNED);
}

static void report_turns(void) {
    bench_report_one(NULL, "turns", SPAWNED,
                     (double)(spawned.turns_at_end - spawned.turns_at_start));
}

/* The spawner is one of the busy goroutines, which keep computing and yielding. */
void bench_fair_spawn(void) {
    bench_busy_start(BUSY, SPAN_NS);
    expect_spawned(bench_busy_turns);
    bench_busy_limit(bench_busy_turns() + TURNS_MAX);
    bench_busy_ask(spawn_all);
    tuco_wg_wait(&spawned.done);
    bench_busy_stop();
    report_turns();
}

/* The same beside goroutines that pass items on. For each item a member computes as long
   as a busy goroutine does per turn. A turn is an item that a member has processed. A
   source feeds the pipeline; in a ring one item circulates forever. */

static struct {
    size_t steps;
    tuco_chan *links[BUSY]; /* links[i] leads to member i */
    atomic_int_least64_t turns;
    tuco_wg done;
} chain;

static int64_t chain_turns(void) {
    return atomic_load_explicit(&chain.turns, memory_order_relaxed);
}

/* Returns false when it is time to end. relaxed: a counter that publishes nothing. */
static bool take_turn(void) {
    bench_compute(chain.steps);
    int64_t turn = atomic_fetch_add_explicit(&chain.turns, 1, memory_order_relaxed);
    if (turn == TURNS_BEFORE) {
        spawn_all();
    }
    return turn < TURNS_BEFORE + TURNS_MAX &&
           atomic_load_explicit(&spawned.left, memory_order_relaxed) > 0;
}

static void send_item(tuco_chan *c) {
    char item = 1;
    bench_check(tuco_chan_send(c, &item), "tuco_chan_send");
}

static void run_source(void *arg) {
    tuco_chan **link = arg;
    while (take_turn()) {
        send_item(link[1]);
    }
    tuco_chan_close(link[1]);
    tuco_wg_done(&chain.done);
}

static void run_stage(void *arg) {
    tuco_chan **link = arg;
    bool sends = link != &chain.links[BUSY - 1];
    char item;
    while (tuco_chan_recv(link[0], &item) == 0) {
        take_turn();
        if (sends) {
            send_item(link[1]);
        }
    }
    if (sends) {
        tuco_chan_close(link[1]);
    }
    tuco_wg_done(&chain.done);
}

/* Closes the channel that the last item would go to next, so that each member ends in
   turn. */
static void run_member(void *arg) {
    tuco_chan **link = arg;
    tuco_chan *out = link == &chain.links[BUSY - 1] ? chain.links[0] : link[1];
    char item;
    bool going = true;
    while (going && tuco_chan_recv(link[0], &item) == 0) {
        going = take_turn();
        if (going) {
            send_item(out);
        }
    }
    tuco_chan_close(out);
    tuco_wg_done(&chain.done);
}

static void run_chain(tuco_fn *first, tuco_fn *others) {
    chain.steps = bench_steps(SPAN_NS);
    expect_spawned(chain_turns);
    tuco_wg_add(&chain.done, BUSY);
    for (int i = 0; i < BUSY; i++) {
        chain.links[i] = tuco_chan_make(1, 0);
        bench_check_made(chain.links[i], "tuco_chan_make");
    }
    for (int i = 0; i < BUSY; i++) {
        bench_check(tuco_go(i == 0 ? first : others, &chain.links[i]), "tuco_go");
    }
}

static void end_chain(void) {
    tuco_wg_wait(&chain.done);
    tuco_wg_wait(&spawned.done);
    for (int i = 0; i < BUSY; i++) {
        tuco_chan_unref(chain.links[i]);
    }
    report_turns();
}

void bench_fair_pipeline(void) {
    run_chain(run_source, run_stage);
    end_chain();
}

void bench_fair_ring(void) {
    run_chain(run_member, run_member);
    send_item(chain.links[0]);
    end_chain();
}

/* Goroutines that only yield. */

struct yielder {
    int64_t runs;
};

static struct {
    struct yielder members[YIELDERS];
    int64_t end_ns; /* of the process's CPU time */
    atomic_bool over;
    tuco_wg done;
} crowd;

static int64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* relaxed: the flag ends the loop and publishes nothing. Each goroutine reads the clock
   itself, because another one might not get a turn to do so. */
static void only_yield(void *arg) {
    struct yielder *y = arg;
    while (!atomic_load_explicit(&crowd.over, memory_order_relaxed)) {
        if (++y->runs % CLOCK_EVERY == 0 && cpu_ns() >= crowd.end_ns) {
            atomic_store_explicit(&crowd.over, true, memory_order_relaxed);
        }
        tuco_yield();
    }
    tuco_wg_done(&crowd.done);
}

static int compare_runs(const void *left, const void *right) {
    int64_t a = ((const struct yielder *)left)->runs;
    int64_t b = ((const struct yielder *)right)->runs;
    return (a > b) - (a < b);
}

static int count_unrun(void) {
    int unrun = 0;
    for (int i = 0; i < YIELDERS; i++) {
        unrun += crowd.members[i].runs == 0;
    }
    return unrun;
}

void bench_fair_yield(void) {
    crowd.end_ns = cpu_ns() + YIELD_CPU;
    tuco_wg_add(&crowd.done, YIELDERS);
    for (int i = 0; i < YIELDERS; i++) {
        bench_check(tuco_go(only_yield, &crowd.members[i]), "tuco_go");
    }
    tuco_wg_wait(&crowd.done);
    bench_report_one("_unrun", "%", YIELDERS, 100.0 * count_unrun() / YIELDERS);
    qsort(crowd.members, YIELDERS, sizeof crowd.members[0], compare_runs);
    int64_t most = crowd.members[YIELDERS - 1].runs;
    int64_t median = crowd.members[YIELDERS / 2].runs;
    bench_report_one("_max", "x median", YIELDERS,
                     (double)most / (double)(median > 0 ? median : 1));
}
