/* SPDX-License-Identifier: MIT */
/* Proves: releasing units that are not held, and negative amounts, end the process. */
#include "test.h"

static void release_more_than_held(void *arg) {
    tuco_sem s;
    tuco_sem_init(&s, 2);
    ASSERT(tuco_sem_try_acquire(&s, *(int *)arg));
    tuco_sem_release(&s, *(int *)arg + 1);
}

static void release_negative(void *arg) {
    (void)arg;
    tuco_sem s;
    tuco_sem_init(&s, 2);
    tuco_sem_release(&s, -1);
}

static void negative_size(void *arg) {
    (void)arg;
    tuco_sem s;
    tuco_sem_init(&s, -1);
}

TEST(semaphore_units) {
    for (int held = 0; held <= 2; held++) {
        EXPECT_DEATH(release_more_than_held, &held,
                     "panic: semaphore: released more than held");
    }
    EXPECT_DEATH(release_negative, NULL, "panic: semaphore: released a negative amount");
    EXPECT_DEATH(negative_size, NULL, "panic: semaphore: negative size");
}
