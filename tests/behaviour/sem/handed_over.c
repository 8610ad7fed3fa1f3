/* SPDX-License-Identifier: MIT */
/* Proves: a released unit goes to the waiter, not to the releaser that acquires again at
   once. (SM-02) */
#include "waiting.h"

#define ROUNDS TEST_SIZE(500, 50)

static tuco_sem s;
static tuco_wg end;
static atomic_int over;

static void take_and_give(void *arg) {
    atomic_int *got = arg;
    ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
    atomic_store(got, 1);
    tuco_sem_release(&s, 1);
}

static void run_in_background(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_sem_init(&s, 1);
    ASSERT_EQ(tuco_wg_go(&end, run_in_background, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        tuco_wg one = {0};
        atomic_int got = 0;
        ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&one, take_and_give, &got), 0);
        test_await_waiting("semacquire", 1);
        tuco_sem_release(&s, 1);
        ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
        ASSERT_EQ(atomic_load(&got), 1);
        tuco_sem_release(&s, 1);
        tuco_wg_wait(&one);
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&end);
    return 0;
}

TEST(handed_over) {
    RUN(run_main);
}
