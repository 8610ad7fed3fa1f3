/* SPDX-License-Identifier: MIT */
/* Proves: when a release and a cancellation meet, either a waiter takes the units and
   returns 0, or the units stay free. */
#include "test.h"

#include <errno.h>

#define ROUNDS TEST_SIZE(5000, 500)

static tuco_sem s;
static tuco_wg end;
static atomic_int taken;

static void take(void *ctx) {
    int r = tuco_sem_acquire(&s, 1, ctx);
    ASSERT(r == 0 || r == -ECANCELED);
    atomic_fetch_add(&taken, r == 0);
}

static void cancel(void *ctx) {
    tuco_ctx_cancel(ctx);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_sem_init(&s, 2);
    ASSERT(tuco_sem_try_acquire(&s, 2));
    for (int i = 0; i < ROUNDS; i++) {
        tuco_ctx *ctx = tuco_ctx_with_cancel(tuco_ctx_background());
        ASSERT_EQ(ctx != NULL ? 0 : -ENOMEM, 0);
        atomic_store(&taken, 0);
        ASSERT_EQ(tuco_wg_go(&end, take, ctx), 0);
        ASSERT_EQ(tuco_wg_go(&end, take, ctx), 0);
        tuco_yield();
        ASSERT_EQ(tuco_wg_go(&end, cancel, ctx), 0);
        tuco_sem_release(&s, 1);
        tuco_wg_wait(&end);
        ASSERT_LE(atomic_load(&taken), 1);
        ASSERT_EQ(tuco_sem_try_acquire(&s, 1), atomic_load(&taken) == 0);
        tuco_ctx_unref(ctx);
    }
    return 0;
}

TEST(release_meets_cancel) {
    RUN(run_main);
}
