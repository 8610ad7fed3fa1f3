/* SPDX-License-Identifier: MIT */
/* Proves: a pool keeps as many objects as documented, destroys any that are put beyond
   that, and destroys the rest when it is freed. */
/* fixed procs */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#define SHARED 512
#define OWN    15
#define COUNT  1000

static int destroyed;
static int token; // arg

static void destroy(void *arg, void *object) {
    ASSERT(arg == &token);
    destroyed++;
    free(object);
}

static void put_many(int kept) {
    destroyed = 0;
    tuco_pool *pool = tuco_pool_make(NULL, destroy, &token);
    ASSERT_EQ(pool != NULL ? 0 : -ENOMEM, 0);
    for (int i = 0; i < COUNT; i++) {
        tuco_pool_put(pool, malloc(1));
    }
    ASSERT_GE(COUNT - destroyed, SHARED);
    ASSERT_LE(COUNT - destroyed, kept);
    int got = 0;
    for (void *object; (object = tuco_pool_get(pool)) != NULL; free(object)) {
        got++;
    }
    ASSERT_EQ(got + destroyed, COUNT);
    for (int i = 0; i < 100; i++) {
        tuco_pool_put(pool, malloc(1));
    }
    destroyed = 0;
    tuco_pool_free(pool);
    ASSERT_EQ(destroyed, 100);
}

static int run_main(void *arg) {
    (void)arg;
    put_many(SHARED + OWN);
    return 0;
}

TEST(bound_of_goroutines) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}

TEST(bound_of_threads) {
    put_many(SHARED);
}
