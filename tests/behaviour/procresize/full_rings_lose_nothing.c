/* SPDX-License-Identifier: MIT */
/* Proves: while two threads of the program remove processors and add them again at once,
   goroutines that fill the run queues, yield and sleep all end. */
/* fixed procs */
/* not under tsan */
#include "test.h"

#define SPAWNERS 8
#define BURSTS   TEST_SIZE(40, 8)
#define BURST    300 /* more than a ring has room for */
#define YIELDS   3

static tuco_wg wg;
static atomic_int ended;
static atomic_int over;

static void work(void *arg) {
    intptr_t i = (intptr_t)arg;
    for (int k = 0; k < YIELDS; k++) {
        tuco_yield();
    }
    if (i % 16 == 0) {
        tuco_sleep(i % 5 * TUCO_MICROSECOND);
    }
    atomic_fetch_add(&ended, 1);
}

static void spawn_bursts(void *arg) {
    (void)arg;
    for (int burst = 0; burst < BURSTS; burst++) {
        for (intptr_t i = 0; i < BURST; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, work, (void *)i), 0);
        }
        tuco_yield();
    }
}

static void down_and_up(void *arg) {
    int most = (int)(intptr_t)arg;
    while (atomic_load(&over) == 0) {
        ASSERT(tuco_procs(1) >= 1);
        ASSERT(tuco_procs(most) >= 1);
    }
}

static int run_main(void *arg) {
    struct test_thread few;
    struct test_thread many;
    (void)arg;
    test_thread_start(&few, down_and_up, (void *)(intptr_t)2);
    test_thread_start(&many, down_and_up, (void *)(intptr_t)16);
    for (int i = 0; i < SPAWNERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, spawn_bursts, NULL), 0);
    }
    tuco_wg_wait(&wg);
    atomic_store(&over, 1);
    test_thread_join(&few);
    test_thread_join(&many);
    ASSERT_EQ(atomic_load(&ended), SPAWNERS * BURSTS * BURST);
    return 0;
}

TEST(full_rings_lose_nothing) {
    test_setenv("TUCOPROCS", "4");
    RUN(run_main);
}
