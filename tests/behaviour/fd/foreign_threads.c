/* SPDX-License-Identifier: MIT */
/* Proves: foreign threads use handles like goroutines, and share them with goroutines.
   Without a runtime, a call that need not wait works, and a call that would have to wait
   returns -ESRCH. */
#include "net.h"

#define EACH   2
#define ROUNDS TEST_SIZE(500, 100)

static const char much[NET_TOO_MUCH];
static struct net_pair p;
static atomic_int next;

/* Every second caller answers. */
static void talk(void *arg) {
    char text[4];
    bool asks = atomic_fetch_add(&next, 1) % 2 == 0;
    tuco_fd *own = asks ? p.out : p.in;
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (asks) {
            net_say(own, "ping");
        }
        net_hear_bytes(own, text, sizeof text);
        ASSERT_EQ(memcmp(text, asks ? "pong" : "ping", sizeof text), 0);
        if (!asks) {
            net_say(own, "pong");
        }
    }
}

static void expect_timeout(void *f) {
    tuco_time deadline = tuco_deadline(2 * TUCO_MILLISECOND);
    ASSERT_EQ(tuco_fd_set_deadline(f, deadline), 0);
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ETIMEDOUT);
    ASSERT_GE(tuco_now(), deadline);
}

static void expect_close(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ECANCELED);
    tuco_fd_unref(f);
}

/* Several partners may share an end: any of them may read the bytes of any other. */
static void mix(int threads, int goroutines) {
    tuco_wg wg = {0};
    struct test_thread started[2 * EACH];
    atomic_store(&next, 0);
    p = net_open(net_socketpair);
    for (int i = 0; i < threads; i++) {
        test_thread_start(&started[i], talk, NULL);
    }
    for (int i = 0; i < goroutines; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, talk, NULL), 0);
    }
    for (int i = 0; i < threads; i++) {
        test_thread_join(&started[i]);
    }
    tuco_wg_wait(&wg);
    net_close(&p);
}

static void wait_and_close(void) {
    struct test_thread thread;
    p = net_open(net_tcp);
    test_thread_start(&thread, expect_timeout, p.in);
    test_thread_join(&thread);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, TUCO_NEVER), 0);
    test_thread_start(&thread, expect_close, tuco_fd_ref(p.in));
    test_await_waiting(1);
    net_close(&p);
    test_thread_join(&thread);
}

TEST(beside_a_runtime) {
    ASSERT_EQ(tuco_start(), 0);
    mix(2, 0);
    mix(1, 1);
    mix(EACH, EACH);
    wait_and_close();
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
}

static void hear_late(void *f) {
    net_hear(f, "late");
}

/* No goroutine has waited for a descriptor before, and the pause gives all threads of the
   runtime the time to fall asleep. */
TEST(in_a_sleeping_runtime) {
    struct test_thread thread;
    p = net_open(net_socketpair);
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < 3; i++) {
        tuco_sleep(NET_PAUSE);
        test_thread_start(&thread, hear_late, p.in);
        test_await_waiting(1);
        net_say(p.out, "late");
        test_thread_join(&thread);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    net_close(&p);
}

static void without_runtime(void *kind) {
    struct net_pair q = net_open((net_kind *)kind);
    net_expect_working(&q);
    ASSERT_EQ(tuco_fd_read(q.in, &(char){0}, 1), -ESRCH);
    ASSERT_EQ(tuco_fd_write(q.out, much, sizeof much), -ESRCH);
    ASSERT_GT(tuco_fd_read(q.in, &(char){0}, 1), 0); // a part of it
    ASSERT_EQ(tuco_fd_set_deadline(q.in, 0), 0);
    ASSERT_EQ(tuco_fd_read(q.in, &(char){0}, 1), -ETIMEDOUT);
    net_close(&q);
}

TEST(without_a_runtime) {
    without_runtime(net_tcp);
    without_runtime(net_pipe);
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    without_runtime(net_socketpair);
}
