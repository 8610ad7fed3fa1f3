/* SPDX-License-Identifier: MIT */
/* Proves: the runtime's lock excludes, wakes its sleepers, and in checked builds enforces
   the lock order. */
#include "test.h"
#include "base/lock.h"

#define THREADS 8
#define TURNS   TEST_SIZE(20000, 2000)

static struct rt_lock outer = RT_LOCK_INIT(lifecycle);
static struct rt_lock inner = RT_LOCK_INIT(globq);
static long plain; /* guarded by inner */

/* Sometimes the holder lets the others reach the lock, so that they sleep. */
static void add_up(void *arg) {
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        rt_lock(&inner);
        long before = plain;
        if (i % 64 == 0) {
            sched_yield();
        }
        plain = before + 1;
        rt_unlock(&inner);
    }
}

TEST(excludes) {
    test_threads_run(THREADS, add_up, NULL);
    ASSERT_EQ(plain, (long)THREADS * TURNS);
    ASSERT_EQ(rt_load_rlx(&inner.word), 0);
}

TEST(nests_upwards) {
    rt_lock(&outer);
    rt_lock(&inner);
    rt_assert_held(&outer);
    rt_assert_held(&inner);
    rt_unlock(&inner);
    rt_unlock(&outer);
}

static void take_downwards(void *arg) {
    (void)arg;
    rt_lock(&inner);
    rt_lock(&outer);
}

static void take_twice(void *arg) {
    (void)arg;
    rt_lock(&inner);
    rt_lock(&inner);
}

static void unlock_unheld(void *arg) {
    (void)arg;
    rt_unlock(&inner);
}

TEST(order_is_checked) {
    if (!RT_CHECKS) {
        SKIP("this build does not check the order of locks");
    }
    EXPECT_DEATH(take_downwards, NULL, "fatal error: runtime: ");
    EXPECT_DEATH(take_twice, NULL, "fatal error: runtime: ");
    EXPECT_DEATH(unlock_unheld, NULL, "fatal error: runtime: ");
}
