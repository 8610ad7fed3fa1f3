/* SPDX-License-Identifier: MIT */
/* Proves: any number of timers that are not due does not delay a sleeper beside
   goroutines that keep the processor busy. */
/* fixed procs */
#include "timers.h"
#include "busy_turns.h"

#define TIMERS TEST_SIZE(200000, 20000)
#define BUSY   8
#define NEAR   (5 * TUCO_MILLISECOND)

/* Times within this span agree in all higher bits: about a quarter of a second. */
#define BOUNDARY ((int64_t)1 << 28)

/* Turns that begin before the sleeper's, on average. The P reads the clock between turns.
   Of two Ps, one that loses its CPU holds the sleeper up, and the other one runs on. */
#define MEAN_OF_ONE 4
#define MEAN_OF_TWO (2 * BUSY)

/* Long enough to make the timers on a busy machine. */
#define LEAD (2 * TUCO_SECOND)

static tuco_timer *timers[200000];

/* Returns how often it slept, and adds up the turns that it was late. */
static int sleep_until(int64_t end, int64_t *turns) {
    int sleeps = 0;
    while (tuco_deadline(NEAR) < end) {
        tuco_yield(); // yields here if requested, and not on its way to sleep
        int64_t due = tuco_deadline(NEAR);
        atomic_store(&turns_since, 0);
        atomic_store(&turns_due_ns, due);
        tuco_sleep_until(due);
        atomic_store(&turns_due_ns, 0);
        *turns += atomic_load(&turns_since);
        sleeps++;
    }
    return sleeps;
}

/* The timers are due soon after a boundary, where an ordering by digits has most to
   do. */
static void expect_mean(int most) {
    int64_t turns = 0;
    int64_t boundary = ((tuco_now() + LEAD) | (BOUNDARY - 1)) + 1;
    int64_t far = boundary + 3 * BOUNDARY / 4;
    for (int i = 0; i < TIMERS; i++) {
        timers[i] = MADE(tuco_timer_make(far - tuco_now()));
    }
    turns_begin(BUSY);
    int sleeps = sleep_until(far - 4 * NEAR, &turns);
    turns_finish();
    for (int i = 0; i < TIMERS; i++) {
        tuco_timer_free(timers[i]);
    }
    ASSERT_GT(sleeps, 0);
    ASSERT_LE(turns, most * sleeps);
}

static int main_of_one(void *arg) {
    (void)arg;
    expect_mean(MEAN_OF_ONE);
    return 0;
}

static int main_of_two(void *arg) {
    (void)arg;
    expect_mean(MEAN_OF_TWO);
    return 0;
}

TURNS_TEST(beside_busy_goroutines, 1, main_of_one)
TURNS_TEST(beside_busy_goroutines_of_two_ps, 2, main_of_two)
