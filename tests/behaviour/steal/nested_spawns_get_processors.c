/* SPDX-License-Identifier: MIT */
/* Proves: parents that compute do not delay their children: all goroutines of a tree run
   at the same time. */
/* fixed procs */
#include "test.h"

#define PARENTS  2
#define CHILDREN 2
#define TOTAL    (1 + PARENTS * (1 + CHILDREN))
#define ROUNDS   50

static tuco_wg wg;
static tuco_wg burst;
static atomic_int started;

static void meet(void *arg) {
    (void)arg;
    atomic_fetch_add(&started, 1);
    test_spin(&started, TOTAL);
}

static void parent(void *arg) {
    for (int i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, meet, NULL), 0);
    }
    meet(arg);
}

/* The burst before leaves threads that are about to sleep, when a wake-up could be
   lost. */
static int run_main(void *arg) {
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 10 * TOTAL; i++) {
            ASSERT_EQ(tuco_wg_go(&burst, test_return_at_once, NULL), 0);
        }
        tuco_wg_wait(&burst);
        atomic_store(&started, 0);
        for (int i = 0; i < PARENTS; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, parent, NULL), 0);
        }
        meet(NULL);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(nested_spawns_get_processors) {
    test_setenv("TUCOPROCS", "7");
    RUN(run_main);
}
