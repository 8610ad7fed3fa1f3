/* SPDX-License-Identifier: MIT */
/* Proves: while main runs, processors that are set aside because no thread can be
   started, and tried again, never look as if all were idle. */
/* fixed procs */
/*
 * Bug. The numbers of idle processors and of processors set aside were two words, which
 * rt_pidle_all() read one after the other. The runtime then reported all goroutines
 * asleep.
 *
 *     rt_pidle_all()               spawner
 *     [L] idle is 1, of 2
 *                                 takes the idle one, starts no thread, sets it aside
 *     [L] aside is 1
 *     1 + 1: all 2 are at rest
 *
 * Fix. Both numbers are in the idle word, and change and are read together.
 *
 * Fails without it: main moves the second processor back and forth millions of times, as
 * sysmon and a spawn do occasionally, while another thread checks all the time; the first
 * processor is never idle, because main runs on it.
 */
#include "sched/thread/wakep.h"
#include "test.h"

#define TURNS  TEST_SIZE(10000000, 100000)
#define SPAWNS 100

static tuco_wg wg;
static atomic_int looking;
static atomic_int over;
static atomic_int ran;

static void count(void *arg) {
    (void)arg;
    atomic_fetch_add(&ran, 1);
}

static void look_and_spawn(void *arg) {
    (void)arg;
    for (int i = 0; i < SPAWNS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, count, NULL), 0);
    }
    atomic_store(&looking, 1);
    while (atomic_load(&over) == 0) {
        ASSERT(!rt_pidle_all());
    }
}

static int run_main(void *arg) {
    (void)arg;
    struct test_thread thread;
    test_thread_start(&thread, look_and_spawn, NULL);
    test_await(&looking, 1);
    for (int i = 0; i < TURNS; i++) {
        rt_pidle_retry_unstartable();
        rt_wakep_slow(1); // finds no thread for the other processor
    }
    atomic_store(&over, 1);
    test_thread_join(&thread);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&ran), SPAWNS);
    return 0;
}

TEST(threads_refused_while_spawning) {
    tuco_config config = {.max_threads = 1};
    test_setenv("TUCOPROCS", "2");
    test_setenv("TUCODEBUG", "fence=plain"); // more turns: no system call in them
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(run_main);
}
