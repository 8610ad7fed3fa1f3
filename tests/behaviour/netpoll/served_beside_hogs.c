/* SPDX-License-Identifier: MIT */
/* Proves: while goroutines that compute or yield occupy every processor, a goroutine
   whose descriptor becomes ready still runs. */
#include "net.h"
#include "hogs.h"

#define ROUNDS 5
#define LIMIT \
    (20 * TUCO_SECOND) /* for all of them, on a machine that is busy elsewhere */

static struct net_pair p;
static tuco_wg hogs;
static tuco_wg wg;
static atomic_int running;
static atomic_int stop;

static void hog_that_yields(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    while (atomic_load(&stop) == 0) {
        tuco_yield();
    }
}

static void hog_that_checks(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    while (atomic_load(&stop) == 0) {
        tuco_checkpoint();
    }
}

static void hog_that_computes(void *arg) {
    (void)arg;
    atomic_fetch_add(&running, 1);
    compute_until(&stop, 1);
}

static void answer(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        net_hear(p.in, "?");
        net_say(p.in, "!");
    }
}

/* Both sides wait before their byte is sent, so that the poller has to wake them. */
static int run_main(void *raw) {
    tuco_fn *hog = *(tuco_fn **)raw;
    p = net_open(net_tcp);
    ASSERT_EQ(tuco_wg_go(&wg, answer, NULL), 0);
    for (int i = 0; i < tuco_procs(0) + 1; i++) {
        ASSERT_EQ(tuco_wg_go(&hogs, hog, NULL), 0);
    }
    tuco_time begin = tuco_now();
    for (int i = 0; i < ROUNDS; i++) {
        net_say(p.out, "?");
        net_hear(p.out, "!");
    }
    ASSERT_LT(tuco_now() - begin, LIMIT);
    atomic_store(&stop, 1);
    tuco_wg_wait(&hogs);
    tuco_wg_wait(&wg);
    ASSERT_GT(atomic_load(&running), 0);
    net_close(&p);
    return 0;
}

TEST(beside_hogs_that_yield) {
    ASSERT_EQ(tuco_run(run_main, &(tuco_fn *){hog_that_yields}), 0);
}

TEST(beside_hogs_with_checkpoints) {
    ASSERT_EQ(tuco_run(run_main, &(tuco_fn *){hog_that_checks}), 0);
}

TEST(beside_hogs_that_compute) {
    if (HOGS_GET_NO_SIGNALS) {
        SKIP("ThreadSanitizer holds a signal back while the thread only computes.");
    }
    ASSERT_EQ(tuco_run(run_main, &(tuco_fn *){hog_that_computes}), 0);
}

/* The bytes come from a thread that never calls the runtime. */
static int fd[2];

static void speak(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ASSERT_EQ(write(fd[1], "?", 1), 1);
        ASSERT_EQ(read(fd[1], &(char){0}, 1), 1);
    }
}

static int listen_main(void *raw) {
    tuco_fn *hog = *(tuco_fn **)raw;
    struct test_thread speaker;
    net_socketpair(fd);
    p.in = net_wrap(fd[0]);
    for (int i = 0; i < tuco_procs(0); i++) {
        ASSERT_EQ(tuco_wg_go(&hogs, hog, NULL), 0);
    }
    test_thread_start(&speaker, speak, NULL);
    answer(NULL);
    atomic_store(&stop, 1);
    tuco_wg_wait(&hogs);
    test_thread_join(&speaker);
    ASSERT_EQ(tuco_fd_close(p.in), 0);
    ASSERT_EQ(close(fd[1]), 0);
    return 0;
}

TEST(spoken_to_from_outside) {
    ASSERT_EQ(tuco_run(listen_main, &(tuco_fn *){hog_that_yields}), 0);
}

TEST(spoken_to_from_outside_beside_computing) {
    if (HOGS_GET_NO_SIGNALS) {
        SKIP("ThreadSanitizer holds a signal back while the thread only computes.");
    }
    ASSERT_EQ(tuco_run(listen_main, &(tuco_fn *){hog_that_computes}), 0);
}
