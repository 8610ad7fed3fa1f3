/* SPDX-License-Identifier: MIT */
/* Proves: no runnable goroutine waits while a processor is idle, even if its spawner
   computes. */
/* fixed procs */
#include "test.h"

#include <stdio.h>

static tuco_wg wg;
static atomic_int started;
static int total;

/* Computes until all run at once: each needs a processor of its own. */
static void meet(void *arg) {
    (void)arg;
    atomic_fetch_add(&started, 1);
    test_spin(&started, total);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 1; i < total; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, meet, NULL), 0);
    }
    meet(NULL);
    tuco_wg_wait(&wg);
    return 0;
}

/* Again with threads that went to sleep after the last meeting. */
static int again_main(void *arg) {
    for (int i = 0; i < 20; i++) {
        atomic_store(&started, 0);
        run_main(arg);
    }
    return 0;
}

static void run_with(int procs, int (*main_fn)(void *)) {
    char text[16];
    snprintf(text, sizeof(text), "%d", procs);
    test_setenv("TUCOPROCS", text);
    total = procs;
    RUN(main_fn);
}

TEST(two_processors) {
    run_with(2, again_main);
}

TEST(four_processors) {
    run_with(4, again_main);
}

TEST(sixty_four_processors) {
    run_with(64, run_main);
}
