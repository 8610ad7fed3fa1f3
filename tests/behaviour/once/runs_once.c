/* SPDX-License-Identifier: MIT */
/* Proves: the function runs once; every caller returns after its end, and sees its
   writes. (ON-01) */
#include "test.h"

#define CALLERS 10
#define THREADS 2
#define ROUNDS  TEST_SIZE(300, 50)

struct shared {
    tuco_once once;
    int calls; /* plain: the end of the function happens before all returns */
};

static tuco_wg end;

static void call(void *arg) {
    struct shared *s = arg;
    s->calls++;
    tuco_yield(); // other callers arrive meanwhile
    s->calls += 100;
}

static void use(void *arg) {
    struct shared *s = arg;
    tuco_once_do(&s->once, call, s);
    ASSERT_EQ(s->calls, 101);
    tuco_once_do(&s->once, call, s);
    ASSERT_EQ(s->calls, 101);
    tuco_wg_done(&end);
}

TEST(runs_once) {
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct shared s = {0};
        struct test_thread threads[THREADS];
        tuco_wg_add(&end, CALLERS + THREADS);
        for (int k = 0; k < THREADS; k++) {
            test_thread_start(&threads[k], use, &s);
        }
        for (int k = 0; k < CALLERS; k++) {
            ASSERT_EQ(tuco_go(use, &s), 0);
        }
        tuco_wg_wait(&end);
        for (int k = 0; k < THREADS; k++) {
            test_thread_join(&threads[k]);
        }
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}
