/* SPDX-License-Identifier: MIT */
/* Proves: after main returns, goroutines that wait for a descriptor never run again;
   tuco_stop waits for such goroutines, and returns -ESRCH from the waits of threads. */
#include "net.h"

#define WAITING 3

static struct net_pair p;
static atomic_int ended;
static tuco_wg wg;

static void wait_for_ever(void *arg) {
    (void)arg;
    intmax_t n = tuco_fd_read(p.in, &(char){0}, 1);
    ASSERT_EQ(n, INTMAX_MIN); // never reached: main has returned
}

static int leave_main(void *arg) {
    (void)arg;
    for (int i = 0; i < WAITING; i++) {
        ASSERT_EQ(tuco_go(wait_for_ever, NULL), 0);
    }
    test_await_waiting(WAITING);
    return 5;
}

/* The goroutines keep their handle, so this test must not free it. */
TEST(main_returns) {
    p = net_open(net_socketpair);
    ASSERT_EQ(tuco_run(leave_main, NULL), 5);
    ASSERT_EQ(tuco_run(leave_main, NULL), -EBUSY);
    ASSERT_EQ(tuco_fd_write(p.out, "xyz", 3), 3);
    for (int i = 0; i < 1000; i++) {
        sched_yield();
    }
}

static void wait_for_end(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ESRCH);
    atomic_fetch_add(&ended, 1);
}

static void wait_for_byte(void *arg) {
    (void)arg;
    net_hear(p.in, "x");
    atomic_fetch_add(&ended, 1);
}

TEST(stop_waits_for_goroutines) {
    p = net_open(net_socketpair);
    ASSERT_EQ(tuco_start(), 0);
    ASSERT_EQ(tuco_wg_go(&wg, wait_for_byte, NULL), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_stop(tuco_deadline(2 * TUCO_MILLISECOND)), -ETIMEDOUT);
    ASSERT_EQ(atomic_load(&ended), 0);
    net_say(p.out, "x");
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_EQ(atomic_load(&ended), 1);
    net_close(&p);
}

TEST(stop_sends_threads_away) {
    struct test_thread threads[WAITING];
    p = net_open(net_socketpair);
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < WAITING; i++) {
        test_thread_start(&threads[i], wait_for_end, NULL);
    }
    test_await_waiting(WAITING);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    for (int i = 0; i < WAITING; i++) {
        test_thread_join(&threads[i]);
    }
    ASSERT_EQ(atomic_load(&ended), WAITING);
    net_expect_working(&p);
    net_close(&p);
}

static void wait_with_deadline(void *arg) {
    ssize_t n = tuco_fd_read(p.in, &(char){0}, 1);
    (void)arg;
    ASSERT_EQ(n, -ESRCH);
}

/* A far deadline does not hold a waiting thread after the runtime has stopped. */
TEST(stop_beside_deadlines) {
    struct test_thread thread;
    p = net_open(net_socketpair);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(3600 * TUCO_SECOND)), 0);
    ASSERT_EQ(tuco_start(), 0);
    test_thread_start(&thread, wait_with_deadline, NULL);
    test_await_waiting(1);
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    test_thread_join(&thread);
    net_close(&p);
}
