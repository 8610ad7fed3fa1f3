/* SPDX-License-Identifier: MIT */
/* Proves: a context that is done because its parent is has no error before the parent has
   one, with and without a channel. */
#include "contexts.h"

#define ROUNDS TEST_SIZE(100, 50)
#define DEPTH  4

static tuco_ctx *chain[DEPTH]; // each one is made from the one before
static atomic_int opened;
static atomic_int looking;
static atomic_int closed;

/* Reads each child before its parent. Returns whether the youngest has an error. */
static bool look_once(void) {
    bool all = true;
    for (int i = DEPTH - 1; i > 0; i--) {
        bool ended = tuco_ctx_err(chain[i]) != 0;
        ASSERT(!ended || tuco_ctx_err(chain[i - 1]) == -ECANCELED);
        all = all && ended;
    }
    return all;
}

/* On a thread of its own, so that it looks while the cancel is under way. */
static void look(void *unused) {
    (void)unused;
    for (int round = 1; round <= ROUNDS; round++) {
        test_spin(&opened, round);
        atomic_store(&looking, round);
        while (!look_once()) {
            sched_yield();
        }
        atomic_store(&closed, round);
    }
}

static void make_chain(bool with_channels) {
    for (int i = 0; i < DEPTH; i++) {
        tuco_ctx *parent = i == 0 ? tuco_ctx_background() : chain[i - 1];
        chain[i] = MADE(tuco_ctx_with_cancel(parent));
        ASSERT(!with_channels || tuco_ctx_done(chain[i]) != NULL);
    }
}

static int run_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    test_thread_start(&thread, look, NULL);
    for (int round = 1; round <= ROUNDS; round++) {
        make_chain(round % 2 == 0);
        atomic_store(&opened, round);
        test_await(&looking, round);
        tuco_ctx_cancel(chain[0]);
        test_await(&closed, round);
        for (int i = 0; i < DEPTH; i++) {
            tuco_ctx_unref(chain[i]);
        }
    }
    test_thread_join(&thread);
    return 0;
}

TEST(parent_is_done_first) {
    RUN(run_main);
}
