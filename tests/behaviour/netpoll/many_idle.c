/* SPDX-License-Identifier: MIT */
/* Proves: goroutines wait for ten thousand descriptors at once on a handful of threads; a
   byte wakes its reader, whether all receive one or only a single descriptor does. */
/* not under qemu */
/* slow */
#include "net.h"

#include <sys/resource.h>

#define PAIRS  (TEST_LIVE_MAX < 10000 ? TEST_LIVE_MAX / 10 : 5000)
#define SPARE  100 /* descriptors for everything else */
#define ROUNDS 100

static struct net_pair pairs[5000];
static tuco_wg wg;
static atomic_int heard;

static void hear_until_end(void *f) {
    ssize_t n;
    while ((n = tuco_fd_read(f, &(char){0}, 1)) > 0) {
        atomic_fetch_add(&heard, 1);
    }
    ASSERT_AMONG(n, 0, -ECANCELED); // the peer, or this handle, was closed first
    tuco_fd_unref(f);
}

static int run_main(void *arg) {
    int threads = test_count_threads();
    (void)arg;
    for (int i = 0; i < PAIRS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hear_until_end, tuco_fd_ref(pairs[i].in)), 0);
        ASSERT_EQ(tuco_wg_go(&wg, hear_until_end, tuco_fd_ref(pairs[i].out)), 0);
    }
    test_await_waiting(2 * PAIRS);
    ASSERT_LE(test_count_threads(), threads + tuco_procs(0) + 4);
    for (int i = 0; i < PAIRS; i++) {
        net_say(pairs[i].in, "x");
    }
    test_await(&heard, PAIRS);
    for (int i = 0; i < ROUNDS; i++) {
        net_say(pairs[i * 7 % PAIRS].out, "x");
        test_await(&heard, PAIRS + i + 1);
    }
    for (int i = 0; i < PAIRS; i++) {
        net_close(&pairs[i]);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(many_idle) {
    struct rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max < 2 * PAIRS + SPARE || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        SKIP("The process may not have so many descriptors.");
    }
    for (int i = 0; i < PAIRS; i++) {
        int fd[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
        pairs[i] = (struct net_pair){.in = net_wrap(fd[0]), .out = net_wrap(fd[1])};
    }
    RUN(run_main);
}
