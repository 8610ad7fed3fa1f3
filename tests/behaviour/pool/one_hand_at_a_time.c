/* SPDX-License-Identifier: MIT */
/* Proves: an object has one holder at a time, on any processor or thread, and each object
   that was made is destroyed once. (PL-04) */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#define GOROUTINES 9
#define THREADS    2
#define HELD       24
#define ROUNDS     TEST_SIZE(2000, 200)

struct object {
    atomic_int holders;
    int uses; /* plain: passing it through the pool orders the uses */
};

static tuco_pool *pool;
static tuco_wg end;
static atomic_long made;
static atomic_long destroyed;

static void *make(void *arg) {
    (void)arg;
    atomic_fetch_add(&made, 1);
    tuco_yield(); // make() may block
    return calloc(1, sizeof(struct object));
}

static void destroy(void *arg, void *object) {
    (void)arg;
    ASSERT_EQ(atomic_load(&((struct object *)object)->holders), 0);
    atomic_fetch_add(&destroyed, 1);
    free(object);
}

static void use_often(void *arg) {
    struct object *held[HELD];
    for (int i = 0; i < ROUNDS; i++) {
        int n = (i + (int)(intptr_t)arg) % HELD;
        for (int k = 0; k < n; k++) {
            held[k] = tuco_pool_get(pool);
            ASSERT_EQ(atomic_fetch_add(&held[k]->holders, 1), 0);
            held[k]->uses++;
        }
        tuco_yield();
        for (int k = 0; k < n; k++) {
            ASSERT_EQ(atomic_fetch_sub(&held[k]->holders, 1), 1);
            tuco_pool_put(pool, held[k]);
        }
    }
    tuco_wg_done(&end);
}

TEST(one_hand_at_a_time) {
    struct test_thread threads[THREADS];
    pool = tuco_pool_make(make, destroy, NULL);
    ASSERT_EQ(pool != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(tuco_start(), 0);
    tuco_wg_add(&end, GOROUTINES + THREADS);
    for (intptr_t i = 0; i < GOROUTINES; i++) {
        ASSERT_EQ(tuco_go(use_often, (void *)i), 0);
    }
    for (intptr_t i = 0; i < THREADS; i++) {
        test_thread_start(&threads[i], use_often, (void *)i);
    }
    tuco_wg_wait(&end);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    tuco_pool_free(pool);
    ASSERT_EQ(atomic_load(&made), atomic_load(&destroyed));
}
