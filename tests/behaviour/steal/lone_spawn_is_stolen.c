/* SPDX-License-Identifier: MIT */
/* Proves: if a computing goroutine spawns or wakes a single goroutine, another processor
   runs it. */
/* fixed procs */
#include "ran.h"

#define ROUNDS 50

static tuco_wg wg;
static tuco_wg gate;
static atomic_int waiting;

static void wait_then_mark(void *arg) {
    atomic_store(&waiting, 1);
    tuco_wg_wait(&gate);
    ran_set(arg);
}

static int spawn_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&ran, 0);
        ASSERT_EQ(tuco_wg_go(&wg, ran_set, NULL), 0);
        test_spin(&ran, 1); // main makes no call: the other processor has to steal it
        tuco_wg_wait(&wg);
    }
    return 0;
}

static int wake_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&ran, 0);
        atomic_store(&waiting, 0);
        tuco_wg_add(&gate, 1);
        ASSERT_EQ(tuco_wg_go(&wg, wait_then_mark, NULL), 0);
        test_await(&waiting, 1);
        tuco_wg_done(&gate);
        test_spin(&ran, 1);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(lone_spawn_is_stolen) {
    test_setenv("TUCOPROCS", "2");
    RUN(spawn_main);
}

TEST(lone_wake_is_stolen) {
    test_setenv("TUCOPROCS", "2");
    RUN(wake_main);
}
