/* SPDX-License-Identifier: MIT */
/* Proves: with one processor, goroutines that compute stop no other goroutine, in loops
   without calls, with calls, or empty, whether one or five of them run. */
/* fixed procs */
#include "hogs.h"

static tuco_wg wg;
static volatile uint64_t sink;
static atomic_int running; /* hogs that have begun */
static atomic_int stop;

static void without_calls(void *arg) {
    (void)arg;
    uint64_t sum = 1;
    atomic_fetch_add(&running, 1);
    while (atomic_load_explicit(&stop, memory_order_relaxed) == 0) {
        sum = sum * 3 + 1;
    }
    sink = sum;
}

__attribute__((noinline)) static uint64_t step(uint64_t sum) {
    sink = sum;
    return sum * 3 + 1;
}

static void with_calls(void *arg) {
    (void)arg;
    uint64_t sum = 1;
    atomic_fetch_add(&running, 1);
    while (atomic_load_explicit(&stop, memory_order_relaxed) == 0) {
        sum = step(sum);
    }
}

static void empty_loop(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    while (atomic_load_explicit(&stop, memory_order_relaxed) == 0) {
    }
}

/* Each count starts with another kind of loop. */
static int run_main(void *arg) {
    (void)arg;
    tuco_fn *hogs[] = {without_calls, with_calls, empty_loop};
    for (int count = 1; count <= 5; count++) {
        atomic_store(&running, 0);
        atomic_store(&stop, 0);
        for (int i = 0; i < count; i++) {
            ASSERT_EQ(tuco_wg_go(&wg, hogs[(count + i) % 3], NULL), 0);
        }
        test_await(&running, count);
        for (int i = 0; i < 3; i++) {
            tuco_yield(); // and gets its turn again
        }
        atomic_store(&stop, 1);
        tuco_wg_wait(&wg);
    }
    return 0;
}

TEST(hog_does_not_stop_others) {
    hogs_use(1);
    RUN(run_main);
}
