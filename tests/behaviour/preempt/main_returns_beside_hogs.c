/* SPDX-License-Identifier: MIT */
/* Proves: main's return ends tuco_run, and _exit() ends the process, beside goroutines
   that compute for ever. */
/* fixed procs */
#include "hogs.h"

#include <unistd.h>

#define HOGS 3

static atomic_int running;
static struct test_child child;

static void compute_for_ever(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    for (;;) {
    }
}

static void start_hogs(void) {
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_go(compute_for_ever, NULL), 0);
    }
}

/* Computes too, so that it stays on the thread of tuco_run() and no hog runs there. */
static int return_main(void *arg) {
    (void)arg;
    start_hogs();
    compute_until(&running, HOGS);
    return 5;
}

static int exit_main(void *arg) {
    (void)arg;
    start_hogs();
    test_await(&running, HOGS);
    _exit(7);
}

static void run_to_exit(void *arg) {
    (void)arg;
    RUN(exit_main);
}

TEST(main_returns) {
    hogs_use(1);
    ASSERT_EQ(tuco_run(return_main, NULL), 5);
}

TEST(main_exits_the_process) {
    hogs_use(1);
    test_child_run(&child, run_to_exit, NULL);
    EXPECT_STATUS(&child, 7);
}
