/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that returns from a blocking call to a busy processor gets a
   processor in its turn, and is never scheduled twice. */
/* fixed procs */
#include "pipes.h"

#define BLOCKERS 4
#define ROUNDS   50

static tuco_wg wg;
static struct pipe_ends data;
static atomic_int wanted; /* bytes requested and not yet written */
static atomic_int over;   /* blockers that have had all their rounds */
static tuco_mutex lock;
static int counted; /* lock */

static void block_often(void *arg) {
    bool announced = arg != NULL;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&wanted, 1);
        if (announced) {
            tuco_blocking_enter();
        }
        pipe_take(&data);
        if (announced) {
            tuco_blocking_exit();
        }
        tuco_mutex_lock(&lock);
        counted++;
        tuco_mutex_unlock(&lock);
    }
    atomic_fetch_add(&over, 1);
}

/* Keeps a processor busy: other goroutines run on it only when this goroutine yields. */
static void keep_busy(void *arg) {
    (void)arg;
    while (atomic_load(&over) < BLOCKERS) {
        if (atomic_load(&wanted) > 0) {
            atomic_fetch_sub(&wanted, 1);
            pipe_put(&data, 1);
        }
        tuco_yield();
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < BLOCKERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, block_often, i % 2 == 0 ? &wg : NULL), 0);
    }
    keep_busy(NULL);
    tuco_wg_wait(&wg);
    ASSERT_EQ(counted, BLOCKERS * ROUNDS);
    return 0;
}

TEST(at_1) {
    use_procs(1);
    pipe_open(&data);
    RUN(run_main);
}

TEST(at_2) {
    use_procs(2);
    pipe_open(&data);
    RUN(run_main);
}
