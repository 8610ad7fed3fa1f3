/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine in the ring has its turn after a few of goroutines whose I/O is
   ready, although in each of these turns another one becomes ready. */
/* fixed procs */
#include "turns.h"

#include <unistd.h>

#define READERS 64
#define SPAN    (500 * TUCO_MICROSECOND)
#define READS   1000

/* A reader that the P itself finds ready goes into the ring as well, first in, first
   out. */
#define TURNS_MAX 10
#define GIVE_UP   (10 * TURNS_MAX)

static tuco_wg wg;
static int pipes[READERS][2];
static int reads;
static int spawned_at;      /* reads when a goroutine had been put into the ring */
static bool has_run = true; /* that goroutine */
static int latest;          /* reads from then until it ran, at most */

/* The P has one turn at a time. */
static void run_once(void *arg) {
    (void)arg;
    int late = reads - spawned_at;
    latest = late > latest ? late : latest;
    has_run = true;
}

static void do_nothing(void *arg) {
    (void)arg;
}

/* The second spawn moves the first one into the ring. */
static void put_into_ring(void) {
    has_run = false;
    ASSERT_EQ(tuco_wg_go(&wg, run_once, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, do_nothing, NULL), 0);
    spawned_at = reads;
}

/* Passes the byte on, so that the next reader is ready at the end of this turn. Sysmon
   finds it: it has to, as long as no P polls. A reader that is asked to yield would go
   into the ring ahead of the next goroutine there, so it waits for its I/O only. */
static void pass_on(void *number) {
    int self = (int)(intptr_t)number;
    tuco_fd *f;
    char byte;
    ASSERT_EQ(tuco_fd_wrap(pipes[self][0], &f), 0);
    tuco_preempt_off();
    while (tuco_fd_read(f, &byte, 1) == 1) {
        reads++;
        if (reads < READS && reads < spawned_at + GIVE_UP) {
            ASSERT_EQ(write(pipes[reads % READERS][1], &byte, 1), 1);
        } else {
            for (int i = 0; i < READERS; i++) {
                close(pipes[i][1]);
            }
        }
        if (has_run) {
            put_into_ring();
        }
        turns_compute(SPAN);
    }
    tuco_preempt_on();
    tuco_fd_close(f);
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(pipe(pipes[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, pass_on, (void *)(intptr_t)i), 0);
    }
    tuco_yield(); // until all of them wait
    ASSERT_EQ(write(pipes[0][1], "x", 1), 1);
    tuco_wg_wait(&wg);
    ASSERT_LE(latest, TURNS_MAX);
    return 0;
}

TURNS_TEST(ready_io_does_not_starve_the_ring, 1, run_main)
