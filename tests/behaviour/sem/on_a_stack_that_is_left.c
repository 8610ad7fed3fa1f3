/* SPDX-License-Identifier: MIT */
/* Proves: a release never touches the semaphore after an acquirer of its units can have
   returned and freed it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS TEST_SIZE(3000, 500)

static void release(void *arg) {
    tuco_sem_release(arg, 1);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_sem *s = malloc(sizeof *s);
        tuco_sem_init(s, 2);
        ASSERT(tuco_sem_try_acquire(s, 2));
        ASSERT_EQ(tuco_go(release, s), 0);
        ASSERT_EQ(tuco_go(release, s), 0);
        if (i % 2 == 0) {
            ASSERT_EQ(tuco_sem_acquire(s, 2, NULL), 0);
        } else {
            while (!tuco_sem_try_acquire(s, 2)) {
                tuco_yield();
            }
        }
        memset(s, 0xff, sizeof *s);
        free(s);
    }
    return 0;
}

TEST(on_a_stack_that_is_left) {
    RUN(run_main);
}
