/* SPDX-License-Identifier: MIT */
/* Proves: an empty pool returns NULL or a new object of its function; a pool with an
   object returns that one before it makes another. (PL-01) */
#include "test.h"

#include <errno.h>

static int made;

static void *make_next(void *arg) {
    int *numbers = arg;
    numbers[made] = made + 1;
    return &numbers[made++];
}

static int number(void *object) {
    return *(int *)object;
}

/* The goroutine cannot change its processor between these steps. */
static void use(void *arg) {
    (void)arg;
    int numbers[8];
    int other = 42;
    made = 0;
    tuco_pool *pool = tuco_pool_make(NULL, NULL, NULL);
    ASSERT_EQ(pool != NULL ? 0 : -ENOMEM, 0);
    ASSERT(tuco_pool_get(pool) == NULL);
    tuco_pool_put(pool, NULL);
    ASSERT(tuco_pool_get(pool) == NULL);
    tuco_pool_put(pool, &other);
    ASSERT(tuco_pool_get(pool) == &other);
    ASSERT(tuco_pool_get(pool) == NULL);
    tuco_pool_free(pool);

    pool = tuco_pool_make(make_next, NULL, numbers);
    ASSERT_EQ(pool != NULL ? 0 : -ENOMEM, 0);
    ASSERT_EQ(number(tuco_pool_get(pool)), 1);
    ASSERT_EQ(number(tuco_pool_get(pool)), 2);
    tuco_pool_put(pool, &other);
    ASSERT_EQ(number(tuco_pool_get(pool)), 42);
    ASSERT_EQ(number(tuco_pool_get(pool)), 3);
    tuco_pool_free(pool);
    tuco_pool_free(NULL);
}

static int run_main(void *arg) {
    use(arg);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread_without_runtime) {
    use(NULL);
}
