/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine in the global queue runs within twice 61 turns, however busy the
   ring is. */
/* fixed procs */
#include "test.h"

/* Every 61st schedule looks at the global queue first; the goroutine may come just after
   a look. */
#define TICKS_MAX (2 * 61 + 2)

static tuco_wg wg;
static atomic_int turns;     /* of the yielding goroutines */
static atomic_int submitted; /* turns when the spawn had returned, plus 1 */
static atomic_int ran;       /* turns when the spawned goroutine ran, plus 1 */

static void yield_until_it_ran(void *arg) {
    (void)arg;
    while (atomic_load(&ran) == 0) {
        atomic_fetch_add(&turns, 1);
        tuco_yield();
    }
}

static void record(void *arg) {
    (void)arg;
    atomic_store(&ran, atomic_load(&turns) + 1);
}

static void spawn_from_outside(void *arg) {
    (void)arg;
    while (atomic_load(&turns) < 1000) {
        sched_yield(); // until both goroutines yield in turn
    }
    ASSERT_EQ(tuco_wg_go(&wg, record, NULL), 0);
    atomic_store(&submitted, atomic_load(&turns) + 1);
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    ASSERT_EQ(tuco_wg_go(&wg, yield_until_it_ran, NULL), 0);
    ASSERT_EQ(tuco_wg_go(&wg, yield_until_it_ran, NULL), 0);
    test_thread_start(&thread, spawn_from_outside, NULL);
    tuco_wg_wait(&wg);
    test_thread_join(&thread);
    ASSERT_LE(atomic_load(&ran), atomic_load(&submitted) + TICKS_MAX);
    return 0;
}

TEST(global_queue_is_fair) {
    test_setenv("TUCOPROCS", "1");
    RUN(run_main);
}
