/* SPDX-License-Identifier: MIT */
/* Proves: waking thousands of waiters of one semaphore takes about as long as if each
   waited for its own: no operation searches the queue. (SM-03) */
/* serial */
#include "test.h"

#define COUNT TEST_SIZE(8000, 2000)

/* If each searched the queue, the single queue would take a hundred times as long. */
#define SLACK 5
#define TRIES 20

static tuco_sem sems[COUNT];
static tuco_wg end;
static atomic_int arrived;

static void wait_once(void *arg) {
    atomic_fetch_add(&arrived, 1);
    ASSERT_EQ(tuco_sem_acquire(arg, 1, NULL), 0);
}

/* Returns the CPU time that it took. */
static tuco_time wait_together(int distinct) {
    tuco_time since = test_cpu_time();
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
    return test_cpu_time() - since;
}

static int run_main(void *arg) {
    (void)arg;
    wait_together(COUNT); // from here on stacks are reused
    tuco_time own = wait_together(COUNT);
    tuco_time one = wait_together(1);
    for (int i = 0; i < TRIES && one > SLACK * own; i++) {
        one = wait_together(1); // another process may have used the CPU
    }
    ASSERT_LE(one, SLACK * own);
    return 0;
}

TEST(many_waiters) {
    RUN(run_main);
}
