/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine whose timer fires while hogs occupy every processor runs before
   their slices end. */
/* fixed procs */
#include "timers.h"
#include "hogs.h"

#define HOGS  4
#define WAKES 10
#define SLICE (10 * TUCO_SECOND) /* each wake would wait for as long as this */
#define LIMIT (30 * TUCO_SECOND) /* for all, on a machine that is busy elsewhere */

static tuco_wg wg;
static atomic_int running;
static atomic_int stop;

static void hog(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    compute_until(&stop, 1);
}

static void sleep_often(void) {
    for (int i = 0; i < WAKES; i++) {
        tuco_sleep(5 * TUCO_MILLISECOND);
    }
}

static void tick_often(void) {
    tuco_ticker *ticker = MADE(tuco_ticker_make(5 * TUCO_MILLISECOND));
    for (int i = 0; i < WAKES; i++) {
        ASSERT_EQ(tuco_chan_recv(tuco_ticker_chan(ticker), NULL), 0);
    }
    tuco_ticker_free(ticker);
}

static int run_main(void *arg) {
    void (*wake_often)(void) = *(void (**)(void))arg;
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    }
    tuco_time begin = tuco_now();
    wake_often();
    ASSERT_LT(tuco_now() - begin, LIMIT);
    ASSERT_GT(atomic_load(&running), 0);
    atomic_store(&stop, 1);
    tuco_wg_wait(&wg);
    return 0;
}

static void run_with(int procs, void (*wake_often)(void)) {
    tuco_config config = {.slice = SLICE};
    hogs_use(procs);
    ASSERT_EQ(tuco_configure(&config), 0);
    ASSERT_EQ(tuco_run(run_main, &wake_often), 0);
}

TEST(sleep_at_1) {
    run_with(1, sleep_often);
}

TEST(sleep_at_2) {
    run_with(2, sleep_often);
}

TEST(ticker_at_2) {
    run_with(2, tick_often);
}
