/* SPDX-License-Identifier: MIT */
/* Proves: the nearest value of a key counts, NULL as well; keys are compared as pointers;
   values are found through contexts of every kind, and after they are done. (CX-07) */
/* fixed procs */
#include "contexts.h"

static const char keys[3];
static int one, two;

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *first = MADE(tuco_ctx_with_value(tuco_ctx_background(), &keys[0], &one));
    tuco_ctx *second = MADE(tuco_ctx_with_value(first, &keys[1], &two));
    tuco_ctx *cancel = MADE(tuco_ctx_with_cancel(second));
    tuco_ctx *timed = MADE(tuco_ctx_with_timeout(cancel, 3600 * TUCO_SECOND));
    tuco_ctx *alone = MADE(tuco_ctx_without_cancel(timed));
    tuco_ctx *nearer = MADE(tuco_ctx_with_value(alone, &keys[0], &two));
    tuco_ctx *hidden = MADE(tuco_ctx_with_value(nearer, &keys[1], NULL));
    tuco_ctx *all[] = {first, second, cancel, timed, alone, nearer, hidden};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 7; i++) {
            bool is_nearer = all[i] == nearer || all[i] == hidden;
            ASSERT(tuco_ctx_value(all[i], &keys[0]) == (is_nearer ? &two : &one));
            ASSERT(tuco_ctx_value(all[i], &keys[2]) == NULL);
        }
        ASSERT(tuco_ctx_value(first, &keys[1]) == NULL);
        ASSERT(tuco_ctx_value(nearer, &keys[1]) == &two);
        ASSERT(tuco_ctx_value(hidden, &keys[1]) == NULL);
        tuco_ctx_cancel(cancel);
    }
    EXPECT_DONE(timed, -ECANCELED, -ECANCELED);
    for (size_t i = 0; i < 7; i++) { // each context keeps its parents
        tuco_ctx_unref(all[i]);
    }
    return 0;
}

TEST(values) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
