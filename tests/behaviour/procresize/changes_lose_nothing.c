/* SPDX-License-Identifier: MIT */
/* Proves: while the number of processors goes up and down all the time, every goroutine
   ends and every sleeper wakes. */
/* fixed procs */
#include "test.h"

#define CHAINS   20
#define LINKS    TEST_SIZE(500, 100)
#define SLEEPERS TEST_SIZE(200, 50)
#define NAPS     20
#define TOP      TEST_SIZE(256, 16)

static tuco_wg wg;
static atomic_int links;
static atomic_int naps;

static void link_up(void *arg) {
    intptr_t left = (intptr_t)arg;
    atomic_fetch_add(&links, 1);
    if (left > 1) {
        ASSERT_EQ(tuco_wg_go(&wg, link_up, (void *)(left - 1)), 0);
        tuco_yield();
    }
}

static void nap(void *arg) {
    intptr_t i = (intptr_t)arg;
    for (int k = 0; k < NAPS; k++) {
        tuco_sleep((i + k) % 7 * TUCO_MILLISECOND / 2);
        atomic_fetch_add(&naps, 1);
    }
}

/* 1, 2, 4 and so on to the top, and down again, until all is done. */
static void change_until_done(void) {
    int now = tuco_procs(0);
    bool rising = true;
    while (tuco_wg_wait_until(&wg, tuco_deadline(TUCO_MILLISECOND)) != 0) {
        rising = now == 1 || (rising && now < TOP);
        int next = rising ? now * 2 : now / 2;
        ASSERT_EQ(tuco_procs(next), now);
        now = next;
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < CHAINS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, link_up, (void *)(intptr_t)LINKS), 0);
    }
    for (intptr_t i = 0; i < SLEEPERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, nap, (void *)i), 0);
    }
    change_until_done();
    ASSERT_EQ(atomic_load(&links), CHAINS * LINKS);
    ASSERT_EQ(atomic_load(&naps), SLEEPERS * NAPS);
    return 0;
}

TEST(changes_lose_nothing) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
