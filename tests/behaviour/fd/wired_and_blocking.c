/* SPDX-License-Identifier: MIT */
/* Proves: goroutines that are wired to their threads, that have preemption off, or that
   have announced a blocking call, wait for descriptors like all others. */
#include "net.h"

#define ROUNDS TEST_SIZE(200, 50)

static struct net_pair p;
static tuco_wg wg;

static void answer(void) {
    for (int i = 0; i < ROUNDS; i++) {
        net_hear(p.in, "?");
        net_say(p.in, "!");
    }
}

static void answer_wired(void *arg) {
    (void)arg;
    tuco_lock_thread();
    pid_t thread = gettid();
    answer();
    ASSERT_EQ(gettid(), thread);
    tuco_unlock_thread();
}

static void answer_without_preemption(void *arg) {
    (void)arg;
    tuco_preempt_off();
    answer();
    tuco_preempt_on();
}

static void answer_while_blocking(void *arg) {
    (void)arg;
    tuco_blocking_enter();
    answer();
    tuco_blocking_exit();
}

static void answer_plainly(void *arg) {
    (void)arg;
    answer();
}

static int run_main(void *arg) {
    tuco_fn *ways[] = {answer_wired, answer_without_preemption, answer_while_blocking,
                       answer_plainly};
    (void)arg;
    for (int i = 0; i < 8; i++) {
        p = net_open(net_socketpair);
        ASSERT_EQ(tuco_wg_go(&wg, ways[i % 4], NULL), 0);
        if (i >= 4) {
            tuco_lock_thread();
        }
        for (int k = 0; k < ROUNDS; k++) {
            net_say(p.out, "?");
            net_hear(p.out, "!");
        }
        if (i >= 4) {
            tuco_unlock_thread();
        }
        tuco_wg_wait(&wg);
        net_close(&p);
    }
    return 0;
}

TEST(wired_and_blocking) {
    RUN(run_main);
}
