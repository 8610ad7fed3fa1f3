/* SPDX-License-Identifier: MIT */
/* Proves: two goroutines that wake each other for ever share one slice: a third is not
   starved. */
/* fixed procs */
#include "test.h"

struct player {
    tuco_wg turn; /* zero: it is this player's turn */
    tuco_wg *partner;
};

static tuco_wg wg;
static atomic_int third_ran;
static atomic_int rounds;

/* Each wake puts the partner into runnext, ahead of the ring where the third waits. */
static void play(void *arg) {
    struct player *p = arg;
    for (bool over = false; !over;) {
        tuco_wg_wait(&p->turn);
        tuco_wg_add(&p->turn, 1);
        atomic_fetch_add(&rounds, 1);
        over = atomic_load(&third_ran) == 1;
        tuco_wg_done(p->partner);
    }
}

static void third(void *arg) {
    (void)arg;
    while (atomic_load(&rounds) < 1000) {
        tuco_yield(); // until the two run in turns
    }
    atomic_store(&third_ran, 1);
}

static int run_main(void *arg) {
    (void)arg;
    struct player a;
    struct player b = {.partner = &a.turn};
    a = (struct player){.partner = &b.turn};
    tuco_wg_add(&b.turn, 1);
    ASSERT_EQ(tuco_wg_go(&wg, third, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, play, &a), 0);
    ASSERT_EQ(tuco_wg_go(&wg, play, &b), 0);
    tuco_wg_wait(&wg);
    ASSERT_GE(atomic_load(&rounds), 1000);
    return 0;
}

TEST(slice_is_inherited) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
