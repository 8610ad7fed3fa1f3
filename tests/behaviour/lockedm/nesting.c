/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine is wired until it has been unlocked as often as locked, and
   unlocking more often changes nothing. */
#include "threads.h"

#define ROUNDS 200

static struct visitors visitors;

static void expect_wired(void) {
    int mine = gettid();
    atomic_store(&visitors.thread, mine);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_yield();
        ASSERT_EQ(gettid(), mine);
    }
    ASSERT_EQ(atomic_load(&visitors.visits), 0);
}

/* If this goroutine were wired, no visitor would ever run on its thread. A yield would be
   enough only if a visitor waited at this processor. */
static void expect_free(void) {
    while (atomic_load(&visitors.visits) == 0) {
        atomic_store(&visitors.thread, gettid());
        tuco_sleep(TUCO_MICROSECOND);
    }
}

/* There are more visitors than processors, so that a free thread finds one to run. */
static void lock_twice(void) {
    visitors_start(&visitors, 2 * tuco_procs(0));
    tuco_lock_thread();
    tuco_lock_thread();
    expect_wired();
    tuco_unlock_thread();
    expect_wired();
    tuco_unlock_thread();
    expect_free();
    visitors_stop(&visitors);
}

static int nesting_main(void *arg) {
    (void)arg;
    lock_twice();
    lock_twice();
    return 0;
}

TEST(nesting) {
    RUN(nesting_main);
}

/* If extra unlocks counted, the next lock would have no effect. */
static int too_often_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 10; i++) {
        tuco_unlock_thread();
    }
    lock_twice();
    for (int i = 0; i < 10; i++) {
        tuco_unlock_thread();
    }
    lock_twice();
    return 0;
}

TEST(unlocked_too_often) {
    RUN(too_often_main);
}
