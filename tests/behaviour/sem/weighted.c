/* SPDX-License-Identifier: MIT */
/* Proves: units are counted: what a try and a wait with a deadline return while some
   units are taken. (SM-04) */
#include "test.h"

#include <errno.h>

static bool try_now(tuco_sem *s, int64_t n) {
    return tuco_sem_try_acquire(s, n);
}

static bool try_for_a_while(tuco_sem *s, int64_t n) {
    int r = tuco_sem_acquire_until(s, n, tuco_deadline(10 * TUCO_MILLISECOND));
    ASSERT(r == 0 || r == -ETIMEDOUT);
    return r == 0;
}

static void count_units(bool (*attempt)(tuco_sem *, int64_t)) {
    tuco_sem s;
    tuco_sem_init(&s, 2);
    ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
    ASSERT(attempt(&s, 1));
    ASSERT(!attempt(&s, 1));
    tuco_sem_release(&s, 2);
    ASSERT(attempt(&s, 1));
    ASSERT_EQ(tuco_sem_acquire(&s, 1, NULL), 0);
    ASSERT(!attempt(&s, 1));
    ASSERT(attempt(&s, 0));
    tuco_sem_release(&s, 2);
    ASSERT(!attempt(&s, 3)); // more than the semaphore has
    ASSERT(attempt(&s, 2));
    ASSERT_EQ(tuco_sem_acquire(&s, -1, NULL), -EINVAL);
    ASSERT_EQ(tuco_sem_acquire_until(&s, -1, TUCO_NEVER), -EINVAL);
    ASSERT(!tuco_sem_try_acquire(&s, -1));
}

static int run_main(void *arg) {
    (void)arg;
    count_units(try_now);
    count_units(try_for_a_while);
    return 0;
}

TEST(on_goroutine) {
    RUN(run_main);
}

TEST(on_thread_without_runtime) {
    run_main(NULL);
}
