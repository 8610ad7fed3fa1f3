/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that a timer has woken runs before one that a signal stopped, so that
   the stopped one cannot move it behind the ring by waking another goroutine. */
/* fixed procs */
#include "chans.h"

#include "hogs.h"

#define WORKERS 60
#define SLEEPS  300
#define HOGS    3
#define HOG     (4 * TUCO_MILLISECOND)

static tuco_wg all;
static tuco_wg woken;
static tuco_chan *wakes;
static tuco_chan *rounds[WORKERS];
static atomic_int worker_turns;
static atomic_int arrived;
static atomic_int over;

/* Each channel has room for one value. It is full only at the end. */
static void wake_all_but(int self) {
    for (int i = 0; i < WORKERS; i++) {
        if (i != self) {
            (void)!tuco_chan_try_send(rounds[i], &(int){0});
        }
    }
}

/* Waits until all workers are here. The last one wakes the others, into the ring. */
static void meet(int self) {
    if (atomic_fetch_add(&arrived, 1) + 1 < WORKERS) {
        test_recv(rounds[self]);
        return;
    }
    atomic_store(&arrived, 0);
    wake_all_but(self);
}

static void work(void *number) {
    int self = (int)(intptr_t)number;
    while (atomic_load(&over) == 0) {
        compute_for(TUCO_MILLISECOND / 5);
        atomic_fetch_add(&worker_turns, 1);
        meet(self);
    }
    wake_all_but(self);
}

/* A signal stops it. When it resumes, it wakes another goroutine. */
static void hog(void *arg) {
    (void)arg;
    while (atomic_load(&over) == 0) {
        compute_for(HOG);
        test_send(wakes, 1);
    }
}

static void be_woken(void *arg) {
    (void)arg;
    while (tuco_chan_recv(wakes, NULL) == 0) {
    }
}

static int run_main(void *arg) {
    (void)arg;
    int most = 0;
    wakes = CHAN(int, 0);
    for (int i = 0; i < WORKERS; i++) {
        rounds[i] = CHAN(int, 1);
    }
    for (int i = 0; i < WORKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&all, work, (void *)(intptr_t)i), 0);
    }
    ASSERT_EQ(tuco_wg_go(&woken, be_woken, NULL), 0);
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&all, hog, NULL), 0);
    }
    for (int i = 0; i < SLEEPS; i++) {
        int before = atomic_load(&worker_turns);
        tuco_sleep(TUCO_MILLISECOND);
        int turns_taken = atomic_load(&worker_turns) - before;
        most = turns_taken > most ? turns_taken : most;
    }
    atomic_store(&over, 1);
    tuco_wg_wait(&all);
    tuco_chan_close(wakes);
    tuco_wg_wait(&woken);
    for (int i = 0; i < WORKERS; i++) {
        tuco_chan_unref(rounds[i]);
    }
    tuco_chan_unref(wakes);
    ASSERT_LT(most, WORKERS / 2);
    return 0;
}

TEST(woken_by_a_timer_goes_before_stopped_ones) {
    hogs_use(1);
    RUN(run_main);
}
