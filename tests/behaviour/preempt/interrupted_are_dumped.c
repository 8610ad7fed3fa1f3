/* SPDX-License-Identifier: MIT */
/* Proves: a dump lists each goroutine that was interrupted while it computed once, like
   any other. */
/* fixed procs */
#include "hogs.h"

#define HOGS  3
#define DUMPS 10

static tuco_wg wg;
static atomic_int running;
static atomic_int stop;

static void hog(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    compute_until(&stop, 1);
}

/* Main has the only processor: all hogs are interrupted. */
static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    }
    test_await(&running, HOGS);
    for (int i = 0; i < DUMPS; i++) {
        const char *text = test_dump();
        ASSERT_EQ(test_dump_entries(text), HOGS + 1);
        ASSERT_EQ(tuco_count(), HOGS + 1);
        for (int id = 1; id <= HOGS + 1; id++) {
            char entry[32];
            snprintf(entry, sizeof(entry), "goroutine %d [", id);
            ASSERT_EQ(test_occurrences(text, entry), 1);
        }
        tuco_yield();
    }
    atomic_store(&stop, 1);
    tuco_wg_wait(&wg);
    return 0;
}

TEST(interrupted_are_dumped) {
    hogs_use(1);
    RUN(run_main);
}
