/* SPDX-License-Identifier: MIT */
/* Proves: threads and goroutines share a mutex, before, while and after the runtime
   runs. */
#include "test.h"

#define EACH   4
#define ROUNDS TEST_SIZE(5000, 500)

static tuco_mutex m;
static tuco_wg end;
static long counter; /* plain */

static void count(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_mutex_lock(&m);
        counter++;
        if (i % 32 == 0) {
            tuco_yield();
        }
        tuco_mutex_unlock(&m);
    }
}

static void count_and_end(void *arg) {
    count(arg);
    tuco_wg_done(&end);
}

TEST(threads_and_goroutines) {
    test_threads_run(EACH, count, NULL);
    ASSERT_EQ(counter, EACH * ROUNDS);
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, EACH);
    for (int i = 0; i < EACH; i++) {
        ASSERT_EQ(tuco_go(count_and_end, NULL), 0);
    }
    test_threads_run(EACH, count, NULL);
    tuco_wg_wait(&end);
    ASSERT_EQ(counter, 3 * EACH * ROUNDS);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    test_threads_run(EACH, count, NULL);
    ASSERT_EQ(counter, 4 * EACH * ROUNDS);
}
