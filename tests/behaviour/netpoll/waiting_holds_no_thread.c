/* SPDX-License-Identifier: MIT */
/* Proves: a goroutine that waits for a descriptor holds no thread and no processor, and
   the dump lists it in the state "IO wait". */
#include "net.h"

#define COUNT TEST_SIZE(500, 100)

static struct net_pair pairs[COUNT];
static tuco_wg wg;

static void hear(void *f) {
    net_hear(f, "x");
}

static void compute(void *arg) {
    (void)arg;
}

static int run_main(void *arg) {
    int threads = test_count_threads();
    (void)arg;
    for (int i = 0; i < COUNT; i++) {
        pairs[i] = net_open(i % 2 == 0 ? net_socketpair : net_pipe);
        ASSERT_EQ(tuco_wg_go(&wg, hear, pairs[i].in), 0);
    }
    test_await_waiting(COUNT);
    ASSERT_EQ(test_occurrences(test_dump(), "[IO wait"), COUNT);
    tuco_wg others = {0};
    for (int i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_wg_go(&others, compute, NULL), 0);
    }
    tuco_wg_wait(&others);
    /* One for each processor, and the runtime's own helpers. */
    ASSERT_LE(test_count_threads(), threads + tuco_procs(0) + 4);
    for (int i = 0; i < COUNT; i++) {
        net_say(pairs[i].out, "x");
    }
    tuco_wg_wait(&wg);
    ASSERT_EQ(test_occurrences(test_dump(), "[IO wait"), 0);
    for (int i = 0; i < COUNT; i++) {
        net_close(&pairs[i]);
    }
    return 0;
}

TEST(waiting_holds_no_thread) {
    RUN(run_main);
}
