/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that a wired goroutine starts runs on another thread, which it
   shares with others. */
/* fixed procs */
#include "threads.h"

#define CHILDREN 100

static atomic_int parent;
static atomic_int place; /* the thread of show() at its last turn */
static atomic_int met;

static void expect_elsewhere(void *arg) {
    (void)arg;
    ASSERT_NE(gettid(), atomic_load(&parent));
}

static void show(void *arg) {
    while (atomic_load(&met) == 0) {
        expect_elsewhere(arg);
        atomic_store(&place, gettid());
        tuco_yield();
    }
}

/* If each were wired to a thread, they would never be on the same thread. */
static void seek(void *arg) {
    while (atomic_load(&place) != gettid()) {
        expect_elsewhere(arg);
        tuco_yield();
    }
    atomic_store(&met, 1);
}

static int shared_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_lock_thread();
    atomic_store(&parent, gettid());
    ASSERT_EQ(tuco_wg_go(&wg, show, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, seek, NULL), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(gettid(), atomic_load(&parent));
    return 0;
}

/* With more processors, each could stay alone on its own for ever. */
TEST(shares_its_thread) {
    test_setenv("TUCOPROCS", "1");
    RUN(shared_main);
}

static int elsewhere_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_lock_thread();
    atomic_store(&parent, gettid());
    for (int i = 0; i < CHILDREN; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, expect_elsewhere, NULL), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(gettid(), atomic_load(&parent));
    return 0;
}

TEST(runs_elsewhere) {
    test_setenv("TUCOPROCS", "2");
    RUN(elsewhere_main);
}
