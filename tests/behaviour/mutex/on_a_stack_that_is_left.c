/* SPDX-License-Identifier: MIT */
/* Proves: an unlock never touches the mutex after another goroutine can have locked,
   unlocked and freed it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS  TEST_SIZE(3000, 500)
#define HOLDERS 3

struct shared {
    tuco_mutex m;
    int left; /* under m */
};

/* The last holder frees it while the previous holder may not have returned from
   unlock. */
static void use(void *arg) {
    struct shared *s = arg;
    tuco_mutex_lock(&s->m);
    int left = --s->left;
    if (left % 2 == 0) {
        tuco_yield();
    }
    tuco_mutex_unlock(&s->m);
    if (left == 0) {
        memset(s, 0xff, sizeof *s);
        free(s);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_wg end = {0};
    for (int i = 0; i < ROUNDS; i++) {
        struct shared *s = calloc(1, sizeof *s);
        s->left = HOLDERS;
        for (int k = 0; k < HOLDERS; k++) {
            ASSERT_EQ(tuco_wg_go(&end, use, s), 0);
        }
        if (i % 8 == 0) {
            tuco_wg_wait(&end);
        }
    }
    tuco_wg_wait(&end);
    return 0;
}

TEST(on_a_stack_that_is_left) {
    RUN(run_main);
}
