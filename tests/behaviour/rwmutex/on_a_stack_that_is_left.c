/* SPDX-License-Identifier: MIT */
/* Proves: an unlock of a reader or a writer never touches the lock after another
   goroutine can have locked, unlocked and freed it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS  TEST_SIZE(3000, 500)
#define HOLDERS 4

struct shared {
    tuco_rwmutex rw;
    atomic_int left;
};

/* The last writer frees it while others may not have returned from unlock. */
static void use(void *arg) {
    struct shared *s = arg;
    tuco_rwmutex_rlock(&s->rw);
    if (atomic_load(&s->left) % 2 == 0) {
        tuco_yield();
    }
    tuco_rwmutex_runlock(&s->rw);
    tuco_rwmutex_lock(&s->rw);
    int left = atomic_fetch_sub(&s->left, 1) - 1;
    tuco_rwmutex_unlock(&s->rw);
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
        atomic_store(&s->left, HOLDERS);
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
