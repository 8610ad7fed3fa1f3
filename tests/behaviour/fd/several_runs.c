/* SPDX-License-Identifier: MIT */
/* Proves: a handle outlives the runtime: goroutines of the next run wait for it just as
   well, and ended runs leave nothing behind. */
#include "net.h"
#include "fault.h"

#define RUNS TEST_SIZE(30, 8)

static char much[NET_TOO_MUCH];
static char heard[NET_TOO_MUCH];
static struct net_pair p;
static tuco_wg wg;

static void hear(void *arg) {
    (void)arg;
    net_hear(p.in, "hear");
}

static void write_much(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_write(p.out, much, sizeof much), sizeof much);
}

/* Waits in both directions, in a poller that has not seen the handle before. */
static int run_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, hear, NULL), 0);
    test_await_waiting(1);
    net_say(p.out, "hear");
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_wg_go(&wg, write_much, NULL), 0);
    test_await_waiting(1);
    net_hear_bytes(p.in, heard, sizeof heard);
    tuco_wg_wait(&wg);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, TUCO_NEVER), 0);
    return 0;
}

static int idle_main(void *arg) {
    (void)arg;
    return 0;
}

TEST(several_runs) {
    int fds = test_count_fds();
    int threads = test_count_threads();
    for (int i = 0; i < RUNS; i++) {
        if (i % 5 == 0) {
            p = net_open(i % 2 == 0 ? net_tcp : net_socketpair);
        }
        RUN(run_main);
        RUN(idle_main);
        net_expect_working(&p); // without a runtime
        if (i % 5 == 4) {
            net_close(&p);
        }
    }
    if (RUNS % 5 != 0) {
        net_close(&p);
    }
    EXPECT_THREADS(threads);
    ASSERT_EQ(test_count_fds(), fds);
}

/* The run uses a handle that is closed afterwards, while no runtime runs. */
static int once_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_wg_go(&wg, hear, NULL), 0);
    test_await_waiting(1);
    net_say(p.out, "hear");
    tuco_wg_wait(&wg);
    return 0;
}

TEST(closed_in_between) {
    test_fault_plan(OS_FAULT_ALLOC, TEST_FAULT_ALWAYS, 1, ENOMEM);
    for (int i = 0; i < RUNS; i++) {
        p = net_open(net_socketpair);
        RUN(once_main);
        net_close(&p);
    }
    RUN(idle_main); // frees what the closed handles have left
    test_fault_expect_balance();
}
