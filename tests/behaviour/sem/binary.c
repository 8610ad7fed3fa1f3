/* SPDX-License-Identifier: MIT */
/* Proves: a semaphore of one unit excludes like a mutex, among goroutines and threads.
   (SM-01) */
#include "test.h"

#define GOROUTINES 10
#define THREADS    2
#define ROUNDS     TEST_SIZE(1000, 200)
#define BY_THREAD  50 /* each needs the kernel to switch to it */

static tuco_sem s;
static tuco_wg end;
static int counter; /* plain */

static void count(void *arg) {
    int rounds = (int)(intptr_t)arg;
    for (int i = 0; i < rounds; i++) {
        ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
        counter++;
        if (i % 16 == 0) {
            tuco_yield();
        }
        tuco_sem_release(&s, 1);
    }
    tuco_wg_done(&end);
}

TEST(binary) {
    struct test_thread threads[THREADS];
    tuco_sem_init(&s, 1);
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, GOROUTINES + THREADS);
    for (int i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(count, (void *)(intptr_t)ROUNDS), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], count, (void *)BY_THREAD);
    }
    tuco_wg_wait(&end);
    ASSERT_EQ(counter, GOROUTINES * ROUNDS + THREADS * BY_THREAD);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
