/* SPDX-License-Identifier: MIT */
/* Proves: whether a goroutine ends wired is decided after its deferred calls: a goroutine
   that unlocks in a deferred call leaves its thread to others. */
/* fixed procs */
#include "threads.h"

static atomic_int left; /* the thread that the last goroutine has left */
static atomic_int found;

static void unlock(void *arg) {
    (void)arg;
    ASSERT_EQ(gettid(), atomic_load(&left));
    tuco_unlock_thread();
}

static void end_unlocked(void *arg) {
    tuco_lock_thread();
    atomic_store(&left, gettid());
    ASSERT_EQ(tuco_defer(unlock, NULL), 0);
    if (arg != NULL) {
        tuco_exit();
    }
}

static void look(void *arg) {
    (void)arg;
    if (gettid() == atomic_load(&left)) {
        atomic_store(&found, 1);
    }
}

/* A thread that had ended would never be found again. Main keeps the first thread, which
   does not end, to itself. */
static int run_main(void *arg) {
    tuco_wg wg = {0};
    tuco_lock_thread();
    while (atomic_load(&found) == 0) {
        ASSERT_EQ(tuco_wg_go(&wg, end_unlocked, arg), 0);
        tuco_wg_wait(&wg);
        ASSERT_EQ(tuco_wg_go(&wg, look, NULL), 0);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(by_return) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_run(run_main, NULL), 0);
}

TEST(by_exit) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(tuco_run(run_main, &left), 0);
}
