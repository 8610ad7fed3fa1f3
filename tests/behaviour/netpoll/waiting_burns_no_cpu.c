/* SPDX-License-Identifier: MIT */
/* Proves: while goroutines wait for descriptors and no bytes arrive, the runtime uses
   under 1 % of one CPU, with and without deadlines, also right after work. */
/* serial */
#include "net.h"

#include <time.h>

#define PERIOD  (100 * TUCO_MILLISECOND)
#define CPU_MAX (1 * TUCO_MILLISECOND)
#define TRIES   10
#define COUNT   50

static struct net_pair pairs[COUNT];
static atomic_int heard;

static void hear_until_end(void *f) {
    while (tuco_fd_read(f, &(char){0}, 1) > 0) {
        atomic_fetch_add(&heard, 1);
    }
    tuco_fd_unref(f);
}

/* The sleep is what is measured, not a way to synchronise. */
static tuco_time cpu_of_a_quiet_period(int before) {
    struct timespec period = {.tv_nsec = PERIOD};
    for (int i = 0; i < COUNT; i++) {
        net_say(pairs[i].out, "x");
    }
    test_spin(&heard, before + COUNT);
    tuco_time spent = test_cpu_time();
    nanosleep(&period, NULL);
    return test_cpu_time() - spent;
}

static void be_quiet(tuco_time deadline) {
    tuco_time best = PERIOD;
    ASSERT_EQ(tuco_start(), 0);
    for (int i = 0; i < COUNT; i++) {
        pairs[i] = net_open(net_socketpair);
        ASSERT_EQ(tuco_fd_set_deadline(pairs[i].in, deadline), 0);
        ASSERT_EQ(tuco_go(hear_until_end, tuco_fd_ref(pairs[i].in)), 0);
    }
    for (int i = 0; i < TRIES && best > CPU_MAX; i++) {
        tuco_time spent = cpu_of_a_quiet_period(i * COUNT);
        best = spent < best ? spent : best;
    }
    for (int i = 0; i < COUNT; i++) {
        net_close(&pairs[i]);
    }
    ASSERT_EQ(tuco_stop(TUCO_NEVER), 0);
    ASSERT_LE(best, CPU_MAX);
}

TEST(without_deadlines) {
    be_quiet(TUCO_NEVER);
}

TEST(with_deadlines) {
    be_quiet(tuco_deadline(3600 * TUCO_SECOND));
}
