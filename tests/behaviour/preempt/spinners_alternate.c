/* SPDX-License-Identifier: MIT */
/* Proves: with one processor, two goroutines that each spin until it is their turn both
   finish, whether their loops contain calls or not. */
/* fixed procs */
#include "hogs.h"

#define ROUNDS 5

static tuco_wg wg;
static atomic_int next;

__attribute__((noinline)) static int look(void) {
    return atomic_load(&next) & 1;
}

static void spin_on_calls(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        while (look() != (int)(intptr_t)arg) {
        }
        atomic_fetch_add(&next, 1);
    }
}

static void spin_on_word(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        compute_until(&next, 2 * i + (int)(intptr_t)arg);
        atomic_fetch_add(&next, 1);
    }
}

static int run_main(void *arg) {
    for (intptr_t i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, *(tuco_fn **)arg, (void *)i), 0);
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&next), 2 * ROUNDS);
    return 0;
}

static void run_with(tuco_fn *player) {
    hogs_use(1);
    ASSERT_EQ(tuco_run(run_main, &player), 0);
}

TEST(on_calls) {
    run_with(spin_on_calls);
}

TEST(on_a_word) {
    run_with(spin_on_word);
}
