/* SPDX-License-Identifier: MIT */
/* Proves: after a descriptor is closed beside a waiter and its number is reused at once,
   no event, deadline or close of the old descriptor reaches the new file. */
#include "net.h"
#include "base/rand.h"

#define USERS  6
#define ROUNDS TEST_SIZE(300, 60)

static tuco_wg wg;
static atomic_int next_user;

/* 0: the other end was closed while the read was on its way to the kernel. */
static void hear_or_be_closed(void *f) {
    char byte = 0;
    ssize_t n = tuco_fd_read(f, &byte, 1);
    ASSERT_AMONG(n, 1, 0, -ECANCELED, -EBADF, -ETIMEDOUT);
    ASSERT(n != 1 || byte == 'x');
    tuco_fd_unref(f);
}

/* An event, deadline or close of an old descriptor would show here. */
static void use_alone(void) {
    struct net_pair p = net_open(net_socketpair);
    ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(3600 * TUCO_SECOND)), 0);
    net_say(p.out, "y");
    net_hear(p.in, "y");
    net_close(&p);
}

static void come_and_go(void *arg) {
    struct rt_rand rand = {test_seed() + (uint64_t)atomic_fetch_add(&next_user, 1)};
    tuco_wg readers = {0};
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct net_pair p =
            net_open(rt_rand_below(&rand, 2) == 0 ? net_socketpair : net_pipe);
        ASSERT_EQ(tuco_wg_go(&readers, hear_or_be_closed, tuco_fd_ref(p.in)), 0);
        for (int k = (int)rt_rand_below(&rand, 3); k > 0; k--) {
            tuco_yield();
        }
        switch (rt_rand_below(&rand, 4)) {
        case 0: net_say(p.out, "x"); break;
        case 1:
            ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(50 * TUCO_MICROSECOND)),
                      0);
            break;
        case 2: ASSERT_EQ(tuco_fd_set_deadline(p.in, 0), 0); break;
        default: break;
        }
        net_close(&p);
        use_alone();
        tuco_wg_wait(&readers);
    }
}

static int run_main(void *arg) {
    (void)arg;
    for (int i = 0; i < USERS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, come_and_go, NULL), 0);
    }
    tuco_wg_wait(&wg);
    return 0;
}

TEST(numbers_are_reused) {
    int fds = test_count_fds();
    RUN(run_main);
    ASSERT_EQ(test_count_fds(), fds);
}
