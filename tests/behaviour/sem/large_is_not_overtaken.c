/* SPDX-License-Identifier: MIT */
/* Proves: a large request at the head keeps later small requests waiting, and requests
   are served in order. */
#include "waiting.h"

#include <errno.h>

static tuco_sem s;
static tuco_wg end;
static int served; /* plain: each release happens before the next acquire */

static void take(int64_t units, int place) {
    ASSERT_EQ(tuco_sem_acquire(&s, units, NULL), 0);
    ASSERT_EQ(served++, place);
    tuco_sem_release(&s, units);
}

static void take_all(void *arg) {
    take(3, (int)(intptr_t)arg);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_sem_init(&s, 3);
    ASSERT_EQ(tuco_sem_acquire(&s, 2, NULL), 0);
    for (intptr_t i = 0; i < 5; i++) {
        ASSERT_EQ(tuco_wg_go(&end, take_all, (void *)i), 0);
        test_await_waiting("semacquire", (int)i + 1);
    }
    ASSERT(!tuco_sem_try_acquire(&s, 1)); // one is free, but not for newcomers
    ASSERT_EQ(tuco_sem_acquire_until(&s, 1, tuco_deadline(TUCO_MILLISECOND)), -ETIMEDOUT);
    ASSERT_EQ(served, 0);
    tuco_sem_release(&s, 2);
    tuco_wg_wait(&end);
    ASSERT(tuco_sem_try_acquire(&s, 3));
    return 0;
}

TEST(large_is_not_overtaken) {
    RUN(run_main);
}
