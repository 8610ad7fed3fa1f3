/* SPDX-License-Identifier: MIT */
/* scenario.c: a small program that uses all of the runtime, to be run with faults in it.
   */
#include "scenario.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define SPAWNS    TEST_SIZE(150, 75) /* more than any cache holds */
#define STACK_USE 20000

struct counts {
    int spawned;  /* the spawner's */
    int deferred; /* the spawner's */
    atomic_int ran;
    atomic_int cleaned;
};

static struct counts counts;
static tuco_wg gate;
static atomic_int deferred_in_goroutines;

static bool succeeded(int rc) {
    ASSERT(rc == 0 || rc == -ENOMEM || rc == -EAGAIN);
    return rc == 0;
}

static void clean(void *arg) {
    (void)arg;
    atomic_fetch_add(&counts.cleaned, 1);
}

static void body(void *arg) {
    (void)arg;
    volatile char room[STACK_USE];
    memset((void *)room, 7, sizeof(room));
    if (succeeded(tuco_defer(clean, NULL))) {
        atomic_fetch_add(&deferred_in_goroutines, 1);
    }
    tuco_wg_wait(&gate); // all are alive at once
    ASSERT_EQ(room[STACK_USE - 1], 7);
    atomic_fetch_add(&counts.ran, 1);
}

static void body_with_copy(void *arg) {
    body(arg);
    tuco_wg *wg;
    memcpy(&wg, arg, sizeof(wg));
    tuco_wg_done(wg);
}

static bool spawn(int i, tuco_wg *wg) {
    static const size_t sizes[] = {sizeof(wg), 90, 5000};
    char copy[5000] = {0};
    memcpy(copy, &wg, sizeof(wg));
    if (i % 4 == 0) {
        return succeeded(tuco_wg_go(wg, body, NULL));
    }
    tuco_wg_add(wg, 1);
    bool started = succeeded(tuco_go_copy(body_with_copy, copy, sizes[i % 4 - 1]));
    if (!started) {
        tuco_wg_done(wg);
    }
    return started;
}

static void work(void) {
    tuco_wg wg = {0};
    memset(&counts, 0, sizeof(counts));
    atomic_store(&deferred_in_goroutines, 0);
    tuco_wg_add(&gate, 1);
    for (int i = 0; i < SPAWNS; i++) {
        counts.spawned += spawn(i, &wg);
    }
    tuco_wg_done(&gate);
    tuco_wg_wait(&wg);
    ASSERT_EQ(atomic_load(&counts.ran), counts.spawned);
}

static int work_main(void *arg) {
    (void)arg;
    work();
    while (tuco_count() > 1) {
        tuco_yield();
    }
    ASSERT_EQ(atomic_load(&counts.cleaned), atomic_load(&deferred_in_goroutines));
    return 0;
}

void test_scenario(void) {
    int threads = test_count_threads();
    int fds = test_count_fds();
    succeeded(tuco_run(work_main, NULL));
    EXPECT_THREADS(threads);
    if (succeeded(tuco_start())) {
        work();
        ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
        ASSERT_EQ(atomic_load(&counts.cleaned), atomic_load(&deferred_in_goroutines));
    }
    EXPECT_THREADS(threads);
    ASSERT_EQ(test_count_fds(), fds);
    ASSERT_EQ(tuco_count(), 0);
}
