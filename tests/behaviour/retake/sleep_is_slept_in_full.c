/* SPDX-License-Identifier: MIT */
/* Proves: while a goroutine sleeps in the C library others run, and the runtime does not
   cut its sleep short. */
/* fixed procs */
/* slow */
#include "pipes.h"

#include <time.h>

#define SPAN  (100 * TUCO_MILLISECOND)
#define TURNS 10

static tuco_wg wg;
static atomic_int asleep;
static atomic_int turns;

/* The sleep is the call that is tested, not a way to synchronise. */
static void sleep_by_nanosleep(void *arg) {
    (void)arg;
    struct timespec span = {.tv_nsec = SPAN};
    atomic_fetch_add(&asleep, 1);
    tuco_time begin = tuco_now();
    ASSERT_EQ(nanosleep(&span, NULL), 0);
    ASSERT_GE(tuco_now() - begin, SPAN);
}

static void sleep_by_second(void *arg) {
    (void)arg;
    atomic_fetch_add(&asleep, 1);
    ASSERT_EQ(sleep(1), 0);
}

static void sleep_long(void *arg) {
    (void)arg;
    atomic_fetch_add(&asleep, 1);
    int before = atomic_load(&turns);
    ASSERT_EQ(sleep(2), 0);
    ASSERT_GT(atomic_load(&turns), before + TURNS);
}

static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, sleep_by_nanosleep, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, sleep_by_second, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, sleep_long, NULL), 0);
    while (tuco_wg_wait_until(&wg, tuco_deadline(TUCO_MILLISECOND)) != 0) {
        atomic_fetch_add(&turns, 1);
    }
    ASSERT_EQ(atomic_load(&asleep), 3);
    return 0;
}

TEST(at_1) {
    use_procs(1);
    RUN(run_main);
}

TEST(at_2) {
    use_procs(2);
    RUN(run_main);
}
