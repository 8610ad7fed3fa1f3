/* SPDX-License-Identifier: MIT */
/* Proves: threads end with their goroutines while others compute without a pause and the
   number of processors changes all the time. */
/* fixed procs */
#include "threads.h"

#define EXITS TEST_SIZE(100, 30)
#define BUSY  2

static atomic_int computing;
static atomic_int over;
static atomic_int tid;

static void compute(void *arg) {
    (void)arg;
    atomic_fetch_add(&computing, 1);
    test_spin(&over, 1);
}

static void end_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    atomic_store(&tid, gettid());
}

/* With more processors than goroutines that compute: this is not about interrupting
   them. */
static int run_main(void *arg) {
    (void)arg;
    tuco_wg exits = {0};
    tuco_wg busy = {0};
    tuco_lock_thread(); // the first thread would not end
    for (int i = 0; i < BUSY; i++) {
        ASSERT_EQ(tuco_wg_go(&busy, compute, NULL), 0);
    }
    test_await(&computing, BUSY);
    for (int i = 0; i < EXITS; i++) {
        ASSERT_EQ(tuco_wg_go(&exits, end_wired, NULL), 0);
        ASSERT_EQ(tuco_procs(BUSY + 1 + i % 4), i == 0 ? 4 : BUSY + 1 + (i - 1) % 4);
        tuco_wg_wait(&exits);
        await_thread_gone(atomic_load(&tid));
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&busy);
    return 0;
}

TEST(exits_while_others_compute) {
    test_setenv("TUCOPROCS", "4");
    RUN(run_main);
}
