/* SPDX-License-Identifier: MIT */
/* Proves: the runtime leaves the affinity masks of its threads as an administrator has set
   them, while goroutines block and processors are handed off. */
/* fixed procs */
/* not under qemu */
#include "test.h"

#include <unistd.h>

#define PAIRS       4
#define ROUNDS      TEST_SIZE(200, 50)
#define THREADS_MAX 64

static cpu_set_t allowed;
static cpu_set_t single[2]; // of two different CPUs

static int tids[THREADS_MAX];
static int tids_end;
static atomic_int ready;
static atomic_int pinned;
static tuco_wg wg;

/* Two goroutines that wait for each other in the kernel. */
static struct pair {
    int to_first[2];
    int to_second[2];
} pairs[PAIRS];

static void find_cpus(void) {
    int found = 0;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_ZERO(&single[found]);
            CPU_SET(cpu, &single[found]);
            found++;
        }
    }
    if (found < 2) {
        SKIP("A pin to the only CPU changes nothing.");
    }
}

/* Called on another thread: pins all that exist, to one CPU or the other in turn. */
static void pin_all(void *unused) {
    (void)unused;
    test_spin(&ready, 2 * PAIRS);
    tids_end = test_list_threads(tids, THREADS_MAX);
    for (int i = 0; i < tids_end; i++) {
        if (sched_setaffinity(tids[i], sizeof single[0], &single[i % 2]) != 0) {
            tids[i] = -1; // it has ended
        }
    }
    atomic_store(&pinned, 1);
}

static void expect_pins(void) {
    int found = 0;
    for (int i = 0; i < tids_end; i++) {
        cpu_set_t mask;
        if (tids[i] > 0 && sched_getaffinity(tids[i], sizeof mask, &mask) == 0) {
            ASSERT(CPU_EQUAL(&mask, &single[i % 2]));
            found++;
        }
    }
    ASSERT_GT(found, 4);
}

/* The calls are announced in every other round; else sysmon finds them. */
static void talk(int in, int out) {
    char byte = 0;
    atomic_fetch_add(&ready, 1);
    test_await(&pinned, 1);
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(write(out, &byte, 1), 1);
        if (i % 2 == 0) {
            tuco_blocking_enter();
        }
        ASSERT_EQ(read(in, &byte, 1), 1);
        if (i % 2 == 0) {
            tuco_blocking_exit();
        }
        tuco_yield();
    }
}

static void talk_first(void *arg) {
    struct pair *p = arg;
    talk(p->to_first[0], p->to_second[1]);
}

static void talk_second(void *arg) {
    struct pair *p = arg;
    talk(p->to_second[0], p->to_first[1]);
}

static int run_main(void *arg) {
    struct test_thread thread;
    (void)arg;
    for (int i = 0; i < PAIRS; i++) {
        ASSERT_EQ(pipe(pairs[i].to_first), 0);
        ASSERT_EQ(pipe(pairs[i].to_second), 0);
        ASSERT_EQ(tuco_wg_go(&wg, talk_first, &pairs[i]), 0);
        ASSERT_EQ(tuco_wg_go(&wg, talk_second, &pairs[i]), 0);
    }
    test_thread_start(&thread, pin_all, NULL);
    tuco_wg_wait(&wg);
    expect_pins();
    test_thread_join(&thread);
    return 0;
}

/* Chosen processors: the runtime would follow the mask of its own thread otherwise. */
TEST(pins_are_kept) {
    find_cpus();
    test_setenv("TUCOPROCS", "3");
    RUN(run_main);
}
