/* SPDX-License-Identifier: MIT */
/* Proves: while a goroutine waits for a descriptor, the runtime reports no deadlock,
   since the event may come from outside; after the last such wait it does. */
#include "net.h"

#include <time.h>

#define REPORT "fatal error: all goroutines are asleep - deadlock!"

static int fd[2];
static tuco_fd *f;
static tuco_chan *c;

/* A thread that never calls the runtime. The pause does not synchronise: it gives a false
   report the time to appear. */
static void speak_late(void *arg) {
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = NET_PAUSE}, NULL);
    ASSERT_EQ(write(fd[1], "x", 1), 1);
}

static int hear_main(void *arg) {
    (void)arg;
    net_hear(f, "x");
    return 0;
}

static void hear_and_tell(void *arg) {
    (void)arg;
    net_hear(f, "x");
    test_send(c, 1);
}

/* Main waits for a goroutine, which waits for a descriptor. */
static int listen_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_go(hear_and_tell, NULL), 0);
    ASSERT_EQ(test_recv(c), 1);
    return 0;
}

static void run_beside_speaker(int (*main_fn)(void *)) {
    struct test_thread speaker;
    net_socketpair(fd);
    f = net_wrap(fd[0]);
    c = CHAN(int, 0);
    test_thread_start(&speaker, speak_late, NULL);
    RUN(main_fn);
    test_thread_join(&speaker);
    tuco_chan_unref(c);
    ASSERT_EQ(tuco_fd_close(f), 0);
    ASSERT_EQ(close(fd[1]), 0);
}

TEST(main_waits) {
    run_beside_speaker(hear_main);
}

TEST(another_waits) {
    run_beside_speaker(listen_main);
}

/* The last wait for a descriptor has ended, so that main's receive is a deadlock. */
static int stay_behind_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_socketpair);
    c = CHAN(int, 0);
    fd[1] = tuco_fd_raw(p.out);
    f = p.in;
    ASSERT_EQ(tuco_go(hear_and_tell, NULL), 0);
    test_await_waiting(1);
    net_say(p.out, "x");
    ASSERT_EQ(test_recv(c), 1);
    return test_recv(c); // no goroutine will send again
}

TEST(deadlock_after_waiting) {
    RUN_DIES(stay_behind_main, REPORT);
}

static void expect_timeout(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
}

/* The last wait ends by its deadline, and its handle is still open. */
static int time_out_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_socketpair);
    f = p.in;
    c = CHAN(int, 0);
    ASSERT_EQ(tuco_fd_set_deadline(f, tuco_deadline(TUCO_MILLISECOND)), 0);
    ASSERT_EQ(tuco_go(expect_timeout, NULL), 0);
    return test_recv(c);
}

TEST(deadlock_after_timeout) {
    RUN_DIES(time_out_main, REPORT);
}

static void hear_one(void *arg) {
    (void)arg;
    net_hear(f, "x");
}

/* A goroutine waits with a far deadline, which main then removes. */
static int take_away_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_socketpair);
    f = p.in;
    c = CHAN(int, 0);
    ASSERT_EQ(tuco_fd_set_deadline(f, tuco_deadline(3600 * TUCO_SECOND)), 0);
    ASSERT_EQ(tuco_go(hear_one, NULL), 0);
    test_await_waiting(1);
    net_say(p.out, "x");
    ASSERT_EQ(tuco_fd_set_deadline(f, TUCO_NEVER), 0);
    return test_recv(c);
}

TEST(deadlock_after_deadline_is_gone) {
    RUN_DIES(take_away_main, REPORT);
}
