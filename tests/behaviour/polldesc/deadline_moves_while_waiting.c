/* SPDX-License-Identifier: MIT */
/* Proves: a wait follows the current deadline, not the one at its start, if a goroutine
   or a thread sets an earlier, a later, a past or a first one. */
#include "net.h"

#define SOON (10 * TUCO_MILLISECOND)
#define FAR  (3600 * TUCO_SECOND)

static const char much[NET_TOO_MUCH];
static tuco_wg wg;
static tuco_time ended_at;

static void wait_to_read(void *f) {
    ASSERT_EQ(tuco_fd_read(f, &(char){0}, 1), -ETIMEDOUT);
    ended_at = tuco_now();
}

static void wait_to_write(void *f) {
    ASSERT_EQ(tuco_fd_write(f, much, sizeof much), -ETIMEDOUT);
    ended_at = tuco_now();
}

struct move {
    tuco_fd *f;
    tuco_time deadline;
};

static void set_both(void *raw) {
    struct move *m = raw;
    ASSERT_EQ(tuco_fd_set_deadline(m->f, m->deadline), 0);
}

static void set_on_thread(void *raw) {
    struct test_thread thread;
    test_thread_start(&thread, set_both, raw);
    test_thread_join(&thread);
}

/* Moves the deadline from first to second while a goroutine waits. Returns false if the
   machine was so busy that the first one passed before. */
static bool move(tuco_fd *f, tuco_fn *wait, tuco_fn *set, tuco_time first,
                 tuco_time second) {
    ended_at = 0;
    ASSERT_EQ(tuco_fd_set_deadline(f, first), 0);
    ASSERT_EQ(tuco_wg_go(&wg, wait, f), 0);
    while (test_waiting() < 1 && tuco_now() < first) {
        tuco_yield();
    }
    set(&(struct move){.f = f, .deadline = second});
    bool in_time = tuco_now() < first;
    tuco_wg_wait(&wg);
    ASSERT(ended_at >= second || !in_time);
    return in_time;
}

static void move_all(tuco_fd *f, tuco_fn *wait, tuco_fn *set) {
    ASSERT(move(f, wait, set, TUCO_NEVER, tuco_deadline(SOON)));
    ASSERT(move(f, wait, set, TUCO_NEVER, 0));
    ASSERT(move(f, wait, set, tuco_deadline(FAR), tuco_deadline(SOON)));
    ASSERT(move(f, wait, set, tuco_deadline(FAR), tuco_now()));
    ASSERT(move(f, wait, set, tuco_deadline(FAR), INT64_MIN));
    tuco_time span = SOON;
    while (!move(f, wait, set, tuco_deadline(span), tuco_deadline(2 * span))) {
        span *= 2;
    }
}

static int run_main(void *arg) {
    (void)arg;
    struct net_pair p = net_open(net_tcp);
    move_all(p.in, wait_to_read, set_both);
    move_all(p.in, wait_to_read, set_on_thread);
    move_all(p.out, wait_to_write, set_both);
    move_all(p.out, wait_to_write, set_on_thread);
    net_close(&p);
    return 0;
}

TEST(deadline_moves_while_waiting) {
    RUN(run_main);
}
