/* SPDX-License-Identifier: MIT */
/* Proves: threads and goroutines that wait on the same wait group are all woken by its
   last done. */
#include "test.h"

#define EACH   4
#define ROUNDS TEST_SIZE(200, 50)

static tuco_wg gate;
static tuco_wg passed_all;
static atomic_int waiting;
static atomic_int passed;

static void wait_at_gate(void *arg) {
    (void)arg;
    atomic_fetch_add(&waiting, 1);
    tuco_wg_wait(&gate);
    atomic_fetch_add(&passed, 1);
    tuco_wg_done(&passed_all);
}

static void one_round(tuco_fn *opener) {
    struct test_thread threads[EACH];
    atomic_store(&waiting, 0);
    atomic_store(&passed, 0);
    tuco_wg_add(&gate, 1);
    tuco_wg_add(&passed_all, 2 * EACH);
    for (int i = 0; i < EACH; i++) {
        test_thread_start(&threads[i], wait_at_gate, NULL);
        ASSERT_EQ(tuco_go(wait_at_gate, NULL), 0);
    }
    test_spin(&waiting, 2 * EACH);
    ASSERT_EQ(atomic_load(&passed), 0);
    opener(NULL);
    tuco_wg_wait(&passed_all);
    for (int i = 0; i < EACH; i++) {
        test_thread_join(&threads[i]);
    }
}

static void open_gate(void *arg) {
    (void)arg;
    tuco_wg_done(&gate);
}

static void open_by_goroutine(void *arg) {
    ASSERT_EQ(tuco_go(open_gate, arg), 0);
}

TEST(threads_wait_together) {
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < ROUNDS; i++) {
        one_round(i % 2 == 0 ? open_gate : open_by_goroutine);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
