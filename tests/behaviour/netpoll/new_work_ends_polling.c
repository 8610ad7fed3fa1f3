/* SPDX-License-Identifier: MIT */
/* Proves: while the only work is a wait for a descriptor, an earlier timer, an earlier
   deadline, a new goroutine or the end of another wait is served at once (NP-24). */
#include "net.h"

#define FAR    (10 * TUCO_SECOND)
#define LIMIT  (5 * TUCO_SECOND)
#define ROUNDS 5

static tuco_chan *done;
static tuco_fd *quiet;
static atomic_int fired;

/* The pauses give the threads of the runtime time to fall asleep. Shorter pauses prove
   less. */
static void let_it_sleep(void) {
    tuco_sleep(2 * TUCO_MILLISECOND);
}

static void wait_far(void *arg) {
    (void)arg;
    ssize_t n = tuco_fd_read(quiet, &(char){0}, 1);
    ASSERT_EQ(n, -ETIMEDOUT);
    test_send(done, 1);
}

static void say_done(void *arg) {
    (void)arg;
    test_send(done, 1);
}

static void nap(void *arg) {
    (void)arg;
    tuco_sleep(TUCO_MILLISECOND);
    test_send(done, 1);
}

static void say_fired(void *arg) {
    (void)arg;
    atomic_store(&fired, 1);
}

/* Its own processor is busy, and does not look at timers. */
static void compute_until_fired(void *arg) {
    atomic_store(&fired, 0);
    tuco_timer *t = MADE(tuco_timer_func(TUCO_MILLISECOND, say_fired, NULL));
    (void)arg;
    while (atomic_load(&fired) == 0) {
        tuco_checkpoint();
    }
    tuco_timer_free(t);
    test_send(done, 1);
}

/* From a plain thread, which has no processor to run it on. */
static void spawn(tuco_fn *fn) {
    let_it_sleep();
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_go(fn, NULL), 0);
    test_recv(done);
    ASSERT_LT(tuco_now() - begin, LIMIT);
}

static void fire_timer(void) {
    let_it_sleep();
    tuco_time begin = tuco_now();
    tuco_timer *t = MADE(tuco_timer_func(TUCO_MILLISECOND, say_done, NULL));
    test_recv(done);
    ASSERT_LT(tuco_now() - begin, LIMIT);
    tuco_timer_free(t);
}

static void bring_deadline(tuco_time span) {
    ASSERT_EQ(tuco_fd_set_deadline(quiet, tuco_deadline(FAR)), 0);
    ASSERT_EQ(tuco_go(wait_far, NULL), 0);
    let_it_sleep();
    tuco_time begin = tuco_now();
    ASSERT_EQ(tuco_fd_set_deadline(quiet, tuco_deadline(span)), 0);
    test_recv(done);
    ASSERT_LT(tuco_now() - begin, LIMIT);
}

TEST(new_work_ends_polling) {
    struct net_pair p = net_open(net_socketpair);
    done = CHAN(int, 1);
    quiet = p.in;
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < ROUNDS; i++) {
        bring_deadline(TUCO_MILLISECOND);
        bring_deadline(0);
        ASSERT_EQ(tuco_fd_set_deadline(quiet, tuco_deadline(FAR)), 0);
        ASSERT_EQ(tuco_go(wait_far, NULL), 0);
        spawn(say_done);
        spawn(nap);
        spawn(compute_until_fired);
        fire_timer();
        ASSERT_EQ(tuco_fd_set_deadline(quiet, 0), 0);
        test_recv(done);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    net_close(&p);
    tuco_chan_unref(done);
}
