/* SPDX-License-Identifier: MIT */
/* Proves: a timer that is due makes sysmon stop a goroutine that computes, but not in the
   first milliseconds of its turn, which it mostly ends by itself; a goroutine that was
   stopped a moment ago is stopped sooner, and that does not prolong the time for which it
   is. */
/* fixed procs */
#include "arch/arch.h"
#include "sched/g.h"
#include "sched/m.h"
#include "sched/syscall/enter.h"

#include "hogs.h"

#define TRIES     20
#define TRIES_MAX 1000
#define EARLY     (2 * TUCO_MILLISECOND)

static atomic_int woken;

static uint16_t hog_until_ms(void) {
    return rt_load_rlx(&rt_m_g(arch_self())->hog_until_ms);
}

/* The kernel may stop the thread for long, and then it loses its P without a signal. */
static bool lost_p(void) {
    return (rt_load_rlx(&arch_self()->asked) & RT_ASKED_TAKEN) != 0;
}

static void sleep_once(void *arg) {
    (void)arg;
    tuco_sleep(TUCO_MILLISECOND / 2);
    atomic_store(&woken, 1);
}

/* Computes until the sleeper has run. Returns true if a signal stopped this goroutine
   before EARLY. */
static bool is_stopped_early(void) {
    tuco_wg sleeper = {0};
    atomic_store(&woken, 0);
    ASSERT_EQ(tuco_wg_go(&sleeper, sleep_once, NULL), 0);
    tuco_yield(); // the sleeper sleeps
    uint16_t until_ms = hog_until_ms();
    tuco_time start = hog_clock();
    tuco_time last = start;
    while (atomic_load(&woken) == 0) {
        last = hog_clock();
    }
    bool early = !lost_p() && last - start < EARLY;
    if (early && until_ms != 0) {
        ASSERT_EQ(hog_until_ms(), until_ms);
    }
    tuco_wg_wait(&sleeper);
    return early;
}

static void count_early(void *count) {
    *(int *)count += is_stopped_early();
}

static void be_stopped_twice(void *arg) {
    (void)arg;
    bool early = false;
    for (int i = 0; i < TRIES_MAX && !early; i++) {
        early = is_stopped_early();
    }
    ASSERT(early);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg hog = {0};
    int early = 0;
    for (int i = 0; i < TRIES; i++) {
        ASSERT_EQ(tuco_wg_go(&hog, count_early, &early), 0);
        tuco_wg_wait(&hog); // the next one gets its descriptor
    }
    ASSERT_LT(early, TRIES / 4);
    ASSERT_EQ(tuco_wg_go(&hog, be_stopped_twice, NULL), 0);
    tuco_wg_wait(&hog);
    return 0;
}

TEST(a_goroutine_may_finish_a_short_turn) {
    hogs_use(1);
    RUN(run_main);
}
