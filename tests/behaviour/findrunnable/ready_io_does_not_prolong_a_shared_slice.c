/* SPDX-License-Identifier: MIT */
/* Proves: the shared slice of two goroutines that wake each other through runnext ends,
   even if a reader whose I/O is always ready runs before them: a third goroutine, in the
   ring behind them, is not starved. */
/* fixed procs */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* The third must run within ten slices of CPU time of the two. */
#define SLICES 10

/* The third waits for so many reads before its last turn. */
#define READS 5

struct player {
    tuco_wg turn; /* zero: it is this player's turn */
    tuco_wg *partner;
};

static tuco_wg wg;
static atomic_int third_ran;
static atomic_int reads;
static atomic_int over;
static int64_t played_ns;
static int pipe_ends[2];

static int64_t thread_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * TUCO_SECOND + t.tv_nsec;
}

/* Computes longer than sysmon waits before it polls by itself. */
static void compute(void) {
    for (int64_t end = thread_cpu_ns() + TUCO_MILLISECOND; thread_cpu_ns() < end;) {
    }
    if (atomic_load(&reads) >= READS) {
        played_ns += TUCO_MILLISECOND; // while the third needs one turn
    }
}

/* They cannot be preempted: only the end of the slice makes them give way. */
static void play(void *arg) {
    struct player *p = arg;
    tuco_preempt_off();
    for (bool last = false; !last;) {
        tuco_wg_wait(&p->turn);
        tuco_wg_add(&p->turn, 1);
        compute();
        last = atomic_load(&third_ran) == 1;
        ASSERT(last || played_ns <= SLICES * 10 * TUCO_MILLISECOND);
        tuco_wg_done(p->partner);
    }
    tuco_preempt_on();
    atomic_store(&over, 1);
}

static void third(void *arg) {
    (void)arg;
    while (atomic_load(&reads) < READS) {
        tuco_yield(); // until the others run
    }
    atomic_store(&third_ran, 1);
}

static void read_on(void *arg) {
    tuco_fd *f = arg;
    char byte;
    int64_t n;
    while ((n = tuco_fd_read(f, &byte, 1)) == 1) {
        atomic_fetch_add(&reads, 1);
    }
    ASSERT_EQ(n, 0);
}

/* Writes a new byte as soon as the last byte was read. */
static void *write_on(void *unused) {
    int seen = 0;
    while (atomic_load(&over) == 0) {
        if (write(pipe_ends[1], "x", 1) != 1) {
            break;
        }
        seen++;
        while (atomic_load(&reads) < seen && atomic_load(&over) == 0) {
            sched_yield();
        }
    }
    close(pipe_ends[1]);
    return unused;
}

static int run_main(void *arg) {
    (void)arg;
    struct player a;
    struct player b = {.partner = &a.turn};
    pthread_t writer;
    a = (struct player){.partner = &b.turn};
    tuco_fd *f;
    ASSERT_EQ(tuco_fd_wrap(pipe_ends[0], &f), 0);
    tuco_wg_add(&b.turn, 1);
    ASSERT_EQ(tuco_wg_go(&wg, read_on, f), 0);
    tuco_yield(); // until the reader waits for the first byte
    ASSERT_EQ(pthread_create(&writer, NULL, write_on, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, third, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, play, &a), 0);
    ASSERT_EQ(tuco_wg_go(&wg, play, &b), 0);
    tuco_wg_wait(&wg);
    ASSERT_EQ(pthread_join(writer, NULL), 0);
    tuco_fd_close(f);
    return 0;
}

TEST(a_third_runs) {
    test_setenv("TUCOPROCS", "1");
    ASSERT_EQ(pipe(pipe_ends), 0);
    RUN(run_main);
}
