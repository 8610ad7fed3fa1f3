/* SPDX-License-Identifier: MIT */
/* Proves: a mutex that one goroutine or thread has locked may be unlocked by another.
   (MX-05) */
#include "test.h"

static tuco_mutex m;
static atomic_int unlocked;

static void unlock(void *arg) {
    (void)arg;
    atomic_store(&unlocked, 1);
    tuco_mutex_unlock(&m);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_mutex_lock(&m);
    ASSERT_EQ(tuco_go(unlock, NULL), 0);
    tuco_mutex_lock(&m);
    ASSERT_EQ(atomic_load(&unlocked), 1);

    struct test_thread thread;
    atomic_store(&unlocked, 0);
    test_thread_start(&thread, unlock, NULL);
    tuco_mutex_lock(&m);
    ASSERT_EQ(atomic_load(&unlocked), 1);
    test_thread_join(&thread);
    tuco_mutex_unlock(&m);
    return 0;
}

TEST(has_no_owner) {
    RUN(run_main);
}
