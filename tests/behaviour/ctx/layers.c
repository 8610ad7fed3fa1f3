/* SPDX-License-Identifier: MIT */
/* Proves: in a pile of random layers, the innermost context is done as soon as any layer
   below it is cancelled, and when the layers time out. (CX-10) */
#include "contexts.h"

#include <stdlib.h>

#define LAYERS 40
#define PILES  TEST_SIZE(300, 50)
#define FAR    (3600 * TUCO_SECOND)

static const char keys[LAYERS];
static unsigned rand_state;

static tuco_ctx *layer(tuco_ctx *parent, int i, tuco_time timeout) {
    switch (rand_r(&rand_state) % 3) {
    case 0: return MADE(tuco_ctx_with_value(parent, &keys[i], (void *)&keys[i]));
    case 1: return MADE(tuco_ctx_with_cancel(parent));
    default: return MADE(tuco_ctx_with_timeout(parent, timeout));
    }
}

/* Its lowest layer can be cancelled. */
static void pile_up(tuco_ctx **pile, tuco_time timeout) {
    pile[0] = MADE(tuco_ctx_with_timeout(tuco_ctx_background(), timeout));
    for (int i = 1; i < LAYERS; i++) {
        pile[i] = layer(pile[i - 1], i, timeout);
    }
}

static void tear_down(tuco_ctx **pile) {
    for (int i = 0; i < LAYERS; i++) {
        void *value = tuco_ctx_value(pile[LAYERS - 1], &keys[i]);
        ASSERT(value == NULL || value == &keys[i]);
    }
    for (int i = 0; i < LAYERS; i++) {
        tuco_ctx_unref(pile[i]);
    }
}

static int run_main(void *arg) {
    (void)arg;
    tuco_ctx *pile[LAYERS];
    tuco_ctx *innermost;
    rand_state = (unsigned)test_seed();
    for (int i = 0; i < PILES; i++) {
        pile_up(pile, FAR);
        innermost = pile[LAYERS - 1];
        EXPECT_OPEN(innermost);
        for (int any = rand_r(&rand_state) % LAYERS; tuco_ctx_err(innermost) == 0;
             any--) {
            tuco_ctx_cancel_cause(pile[any], i + 1); // no effect on a value
        }
        EXPECT_DONE(innermost, -ECANCELED, i + 1);
        tear_down(pile);
    }
    pile_up(pile, TUCO_MILLISECOND);
    innermost = pile[LAYERS - 1];
    wait_until_done(innermost);
    EXPECT_DONE(innermost, -ETIMEDOUT, -ETIMEDOUT);
    tear_down(pile);
    return 0;
}

TEST(layers) {
    count_blocks();
    RUN(run_main);
    test_fault_expect_balance();
}
