/* SPDX-License-Identifier: MIT */
/* Proves: a request whose context is cancelled or times out leaves the queue, takes no
   units, and no longer blocks the requests behind it. (SM-08) */
#include "waiting.h"

#include <errno.h>

static tuco_sem s;
static tuco_wg end;

static void take_all_in_vain(void *ctx) {
    ASSERT_EQ(tuco_sem_acquire(&s, 2, ctx), -ECANCELED);
}

static void take_more_than_all_in_vain(void *ctx) {
    ASSERT_EQ(tuco_sem_acquire(&s, 3, ctx), -ECANCELED);
}

static void take_one(void *ctx) {
    ASSERT_EQ(tuco_sem_acquire(&s, 1, ctx), 0);
    tuco_sem_release(&s, 1);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *ctx = tuco_ctx_with_cancel(tuco_ctx_background());
    tuco_ctx *other = tuco_ctx_with_cancel(tuco_ctx_background());
    tuco_ctx *timed = tuco_ctx_with_timeout(tuco_ctx_background(), TUCO_MILLISECOND);
    ASSERT_EQ(ctx != NULL && other != NULL && timed != NULL ? 0 : -ENOMEM, 0);
    tuco_sem_init(&s, 2);
    ASSERT_EQ(tuco_sem_acquire(&s, 1, ctx), 0);
    ASSERT_EQ(tuco_sem_acquire(&s, 2, timed), -ETIMEDOUT);
    ASSERT_EQ(tuco_wg_go(&end, take_all_in_vain, ctx), 0);
    test_await_waiting("semacquire", 1);
    ASSERT_EQ(tuco_wg_go(&end, take_more_than_all_in_vain, ctx), 0);
    ASSERT_EQ(tuco_wg_go(&end, take_one, other), 0);
    ASSERT_EQ(tuco_wg_go(&end, take_one, NULL), 0);
    test_await_waiting("semacquire", 4);
    tuco_ctx_cancel(ctx);
    tuco_wg_wait(&end);
    tuco_sem_release(&s, 1);
    ASSERT_EQ(tuco_sem_acquire(&s, 1, ctx), -ECANCELED); // although units are free
    ASSERT(tuco_sem_try_acquire(&s, 2));
    tuco_ctx_unref(ctx);
    tuco_ctx_unref(other);
    tuco_ctx_unref(timed);
    return 0;
}

TEST(cancelled_lets_others_pass) {
    RUN(run_main);
}
