/* SPDX-License-Identifier: MIT */
/* Proves: the function of a timer runs in a goroutine of its own, which may block without
   keeping other timers waiting. (TM-05) */
#include "timers.h"

#define CHAIN 10
#define NAP   TUCO_SECOND
#define MAX   (NAP * CHAIN)

static tuco_wg all;
static tuco_timer *chain[CHAIN];
static atomic_int depth;
static atomic_ullong ids[CHAIN];

/* Each sets the next before it sleeps itself. */
static void set_next_and_sleep(void *arg) {
    (void)arg;
    int i = atomic_fetch_add(&depth, 1);
    atomic_store(&ids[i], tuco_id());
    if (i + 1 < CHAIN) {
        chain[i + 1] = MADE(tuco_timer_func(0, set_next_and_sleep, NULL));
    }
    tuco_sleep(NAP);
    tuco_wg_done(&all);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_time begin = tuco_now();
    tuco_wg_add(&all, CHAIN);
    chain[0] = MADE(tuco_timer_func(0, set_next_and_sleep, NULL));
    ASSERT(tuco_timer_chan(chain[0]) == NULL);
    tuco_wg_wait(&all);
    ASSERT_LT(tuco_now() - begin, MAX);
    for (int i = 0; i < CHAIN; i++) {
        ASSERT_GT(atomic_load(&ids[i]), 1);
        for (int j = 0; j < i; j++) {
            ASSERT_NE(atomic_load(&ids[i]), atomic_load(&ids[j]));
        }
        ASSERT(!tuco_timer_stop(chain[i]));
        tuco_timer_free(chain[i]);
    }
    return 0;
}

TEST(functions_run_side_by_side) {
    RUN(run_main);
}
