/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are wired, compute or block all end with two worker threads, if
   no more can be started. */
/* not under tsan */
#include "fault.h"
#include "os/os.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

#define WIRED    100
#define ROUNDS   10
#define HOGS     4
#define HELPERS  2 /* the starter and sysmon */
#define WORKERS  2
#define COMPUTE  (20 * TUCO_MILLISECOND)
#define BLOCK_US 1000
#define SLEEPERS 20

static void lock_and_yield(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        tuco_lock_thread();
        tuco_yield();
        tuco_unlock_thread();
    }
}

static void compute(void *arg) {
    (void)arg;
    for (tuco_time end = test_cpu_time() + COMPUTE; test_cpu_time() < end;) {
    }
}

static void block(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        usleep(BLOCK_US);
    }
}

static void start(tuco_wg *wg, tuco_fn *fn, int count) {
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(tuco_wg_go(wg, fn, NULL), 0);
    }
}

static int wired_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    start(&wg, lock_and_yield, WIRED);
    tuco_wg_wait(&wg);
    return 0;
}

static int mixed_main(void *arg) {
    tuco_wg wg = {0};
    (void)arg;
    start(&wg, lock_and_yield, WIRED);
    start(&wg, compute, HOGS);
    start(&wg, block, SLEEPERS);
    tuco_wg_wait(&wg);
    return 0;
}

static void refuse_threads(void) {
    test_fault_plan(OS_FAULT_THREAD, HELPERS + WORKERS + 1, TEST_FAULT_ALWAYS, EAGAIN);
}

TEST(wired) {
    refuse_threads();
    RUN(wired_main);
}

TEST(mixed) {
    refuse_threads();
    RUN(mixed_main);
}
