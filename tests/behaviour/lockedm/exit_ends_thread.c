/* SPDX-License-Identifier: MIT */
/* Proves: the thread of a goroutine that ends wired ends too, by a return and by
   tuco_exit(), and the destructors of its thread-specific data run. */
#include "threads.h"

#define COUNT 20

static pthread_key_t key;
static atomic_int destroyed;
static atomic_int tids[COUNT];

static void count_destroyed(void *value) {
    ASSERT(value == &key);
    atomic_fetch_add(&destroyed, 1);
}

static void end_wired(void *arg) {
    int i = (int)(intptr_t)arg;
    for (int depth = 0; depth <= i % 3; depth++) {
        tuco_lock_thread();
    }
    ASSERT(!on_first_thread());
    ASSERT_EQ(pthread_setspecific(key, &key), 0);
    atomic_store(&tids[i], gettid());
    if (i % 2 == 0) {
        tuco_exit();
    }
}

static void expect_distinct(int i) {
    for (int k = 0; k < i; k++) {
        ASSERT_NE(atomic_load(&tids[i]), atomic_load(&tids[k]));
    }
}

/* Main keeps the first thread, which would not end, to itself. */
static int run_main(void *arg) {
    (void)arg;
    tuco_wg wg = {0};
    tuco_lock_thread();
    for (intptr_t i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, end_wired, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < COUNT; i++) {
        await_thread_gone(atomic_load(&tids[i]));
        expect_distinct(i);
    }
    ASSERT_EQ(atomic_load(&destroyed), COUNT);
    ASSERT(on_first_thread());
    return 0;
}

TEST(exit_ends_thread) {
    ASSERT_EQ(pthread_key_create(&key, count_destroyed), 0);
    RUN(run_main);
    ASSERT_EQ(atomic_load(&destroyed), COUNT);
}
