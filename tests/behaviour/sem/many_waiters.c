/* SPDX-License-Identifier: MIT */
/* Proves: thousands wait for one semaphore, and it takes no longer to wake each than if
   each had one of his own: nobody looks for his place in the queue. (SM-03) */
/* serial */
#include "test.h"

#define COUNT TEST_SIZE(8000, 2000)

/* If each looked at all others the one queue would take a hundred times as long. */
#define SLACK 5
#define TRIES 20

static tuco_sem sems[COUNT];
static tuco_wg end;
static atomic_int arrived;

static void wait_once(void *arg) {
    atomic_fetch_add(&arrived, 1);
    ASSERT_EQ(tuco_sem_acquire(arg, 1, NULL), 0);
}

static tuco_time wait_together(int distinct) {
    tuco_time since = tuco_now();
    atomic_store(&arrived, 0);
    for (int i = 0; i < distinct; i++) {
        tuco_sem_init(&sems[i], COUNT);
        ASSERT(tuco_sem_try_acquire(&sems[i], COUNT));
    }
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&end, wait_once, &sems[i % distinct]), 0);
    }
    test_await(&arrived, COUNT);
    for (int i = 0; i < COUNT; i++) {
        tuco_sem_release(&sems[i % distinct], 1);
    }
    tuco_wg_wait(&end);
    return tuco_now() - since;
}

static int run_main(void *arg) {
    (void)arg;
    wait_together(COUNT); // the stacks are there from here on
    tuco_time own = wait_together(COUNT);
    tuco_time one = wait_together(1);
    for (int i = 0; i < TRIES && one > SLACK * own; i++) {
        one = wait_together(1); // something else had the machine
    }
    ASSERT_LE(one, SLACK * own);
    return 0;
}

TEST(many_waiters) {
    RUN(run_main);
}
