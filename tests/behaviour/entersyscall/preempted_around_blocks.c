/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that only make short blocking calls, more of them than processors,
   all get their turns, and so does the main goroutine that stops them. */
/* fixed procs */
#include "pipes.h"

#include <time.h>

#define COUNT 8
#define TURNS 10

static tuco_wg wg;
static atomic_int served; /* goroutines that have had all their turns */
static atomic_int stop;

static void announced_call(struct timespec span) {
    tuco_blocking_enter();
    nanosleep(&span, NULL);
    tuco_blocking_exit();
}

/* A signal may cut the sleep short: to sysmon, a thread that sleeps and computes in turn
   does not look blocked. */
static void plain_call(struct timespec span) {
    nanosleep(&span, NULL);
}

static void (*call)(struct timespec);

/* The sleep stands for a system call of that length. */
static void call_often(void *arg) {
    struct timespec span = {.tv_nsec = *(long *)arg};
    for (int turn = 1; atomic_load(&stop) == 0; turn++) {
        call(span);
        if (turn == TURNS) {
            atomic_fetch_add(&served, 1);
        }
    }
}

static int run_main(void *arg) {
    (void)arg;
    static long spans[] = {10 * TUCO_MICROSECOND, 100 * TUCO_MICROSECOND,
                           1000 * TUCO_MICROSECOND};
    for (int i = 0; i < 3; i++) {
        atomic_store(&served, 0);
        atomic_store(&stop, 0);
        for (int k = 0; k < COUNT; k++) {
            ASSERT_EQ(tuco_wg_go(&wg, call_often, &spans[i]), 0);
        }
        test_await(&served, COUNT);
        atomic_store(&stop, 1);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(announced) {
    use_procs(2);
    call = announced_call;
    RUN(run_main);
}

TEST(unannounced) {
    use_procs(2);
    call = plain_call;
    RUN(run_main);
}
