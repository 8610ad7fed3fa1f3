/* SPDX-License-Identifier: MIT */
/* Proves: many deadlines that are due at the same time fire within a few turns of the
   goroutines that keep the processors busy. */
/* fixed procs */
#include "timers.h"
#include "busy_turns.h"

#define DEADLINES TEST_SIZE(50000, 5000)
#define BUSY      8
#define AHEAD     (300 * TUCO_MILLISECOND)

/* The scheduler fires them in slices of a millisecond, and runs goroutines between two
   slices. A goroutine that waits for a deadline then has the ring before it. */
#define TURNS_FIRST 24
#define TURNS_LAST  48

/* Of two Ps, one that loses its CPU holds its timers up, and the other one runs on: for 86
   turns at most, measured beside four threads that compute. The best round had 16. */
#define TURNS_TWO_PS 80

static tuco_ctx *ctxs[50000];
static atomic_int turns_first;
static atomic_int turns_last;

static void wait_for(tuco_ctx *ctx, atomic_int *turns) {
    ASSERT_EQ(tuco_chan_recv(tuco_ctx_done(ctx), NULL), -EPIPE);
    atomic_store(turns, atomic_load(&turns_since));
}

static void wait_for_first(void *wg) {
    wait_for(ctxs[0], &turns_first);
    tuco_wg_done(wg);
}

static void wait_for_last(void *wg) {
    wait_for(ctxs[DEADLINES - 1], &turns_last);
    tuco_wg_done(wg);
}

/* Returns how many turns had begun when the last one fired. */
static tuco_time fire_all(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    atomic_store(&turns_end, false);
    atomic_store(&turns_due_ns, 0);
    atomic_store(&turns_since, 0);
    int64_t due = tuco_now() + AHEAD;
    for (int i = 0; i < DEADLINES; i++) {
        ctxs[i] = MADE(tuco_ctx_with_deadline(tuco_ctx_background(), due));
    }
    tuco_wg_add(&wg, 2);
    ASSERT_EQ(tuco_go(wait_for_first, &wg), 0);
    ASSERT_EQ(tuco_go(wait_for_last, &wg), 0);
    turns_begin(BUSY);
    atomic_store(&turns_due_ns, due);
    tuco_wg_wait(&wg);
    turns_finish();
    for (int i = 0; i < DEADLINES; i++) {
        tuco_ctx_unref(ctxs[i]);
    }
    return atomic_load(&turns_last);
}

static int main_of_one(void *arg) {
    ASSERT_LE(fire_all(arg), TURNS_LAST);
    ASSERT_LE(turns_first, TURNS_FIRST);
    return 0;
}

static int main_of_two(void *arg) {
    turns_expect_at_most(TURNS_TWO_PS, fire_all, arg);
    return 0;
}

TURNS_TEST(one_processor, 1, main_of_one)
TURNS_TEST(two_processors, 2, main_of_two)
