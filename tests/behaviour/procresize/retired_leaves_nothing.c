/* SPDX-License-Identifier: MIT */
/* Proves: goroutines in the queue of a processor that is removed, and goroutines whose
   timers it kept, still run. */
/* fixed procs */
#include "test.h"

#define PROCS    8
#define CHILDREN 20
#define ROUNDS   TEST_SIZE(20, 5)
#define SPAN     (5 * TUCO_MILLISECOND)

static tuco_wg wg;
static atomic_int filled;
static atomic_int shrunk;
static atomic_int ran;

static void count_child(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

static void sleep_child(void *arg) {
    tuco_sleep(SPAN);
    count_child(arg);
}

/* Computes, so that each instance has a processor for itself; its children stay in its
   queue, or asleep, until the processor is removed. */
static void fill_processor(void *arg) {
    (void)arg;
    for (int i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, i % 2 == 0 ? count_child : sleep_child, NULL), 0);
        if (i == CHILDREN / 2) {
            tuco_yield();
        }
    }
    atomic_fetch_add(&filled, 1);
    test_spin(&shrunk, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&filled, 0);
        atomic_store(&shrunk, 0);
        atomic_store(&ran, 0);
        for (int i = 0; i < PROCS - 1; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, fill_processor, NULL), 0);
        }
        test_await(&filled, PROCS - 1);
        ASSERT_EQ(tuco_procs(1), PROCS);
        atomic_store(&shrunk, 1);
        tuco_wg_wait(&wg);
        ASSERT_EQ(atomic_load(&ran), (PROCS - 1) * CHILDREN);
        ASSERT_EQ(tuco_procs(PROCS), 1);
    }
    return 0;
}

TEST(retired_leaves_nothing) {
    test_setenv("TUCOPROCS", "8");
    RUN(run_main);
}
