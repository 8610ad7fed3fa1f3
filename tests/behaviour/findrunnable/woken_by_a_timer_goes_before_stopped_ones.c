/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that a timer has woken runs before one that a signal stopped, so that
   the stopped one cannot move it behind the ring by waking another goroutine. */
/* fixed procs */
#include "hogs.h"
#include "meeting.h"

#define SLEEPS 300
#define HOGS   3
#define HOG    (4 * TUCO_MILLISECOND)

static tuco_wg all;
static tuco_wg woken;
static tuco_chan *wakes;
static atomic_int worker_turns;
static atomic_int over;

static void work(void *number) {
    int self = (int)(intptr_t)number;
    while (atomic_load(&over) == 0) {
        compute_for(TUCO_MILLISECOND / 5);
        atomic_fetch_add(&worker_turns, 1);
        meeting_wait(self);
    }
    meeting_wake_all_but(self);
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
    meeting_begin(&all, work);
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
    meeting_end();
    tuco_chan_unref(wakes);
    ASSERT_LT(most, MEETING_WORKERS / 2);
    return 0;
}

TEST(woken_by_a_timer_goes_before_stopped_ones) {
    hogs_use(1);
    RUN(run_main);
}
