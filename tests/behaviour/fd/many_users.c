/* SPDX-License-Identifier: MIT */
/* Proves: many goroutines may read, write, take and release references of one handle at
   the same time: each byte is read once, and no call fails before the close (NP-14). */
/* slow */
#include "net.h"
#include "base/rand.h"

#define USERS 8
#define ACTS  TEST_SIZE(3000, 400)

static tuco_wg writers;
static tuco_wg readers;
static struct net_pair p;
static atomic_int next_user;
static atomic_long written;
static atomic_long heard;

static void write_at_random(void *arg) {
    struct rt_rand rand = {test_seed() + (uint64_t)atomic_fetch_add(&next_user, 1)};
    (void)arg;
    for (int i = 0; i < ACTS; i++) {
        unsigned char bytes[8];
        size_t size = 1 + rt_rand_below(&rand, sizeof bytes);
        for (size_t k = 0; k < size; k++) {
            bytes[k] = (unsigned char)rt_rand_below(&rand, 256);
            atomic_fetch_add(&written, bytes[k] + 1);
        }
        tuco_fd *f = tuco_fd_ref(p.out);
        ASSERT_EQ(tuco_fd_write(f, bytes, size), size);
        tuco_fd_unref(f);
    }
}

/* Reads until the handle is closed, during a wait or before the next read. */
static void read_at_random(void *arg) {
    struct rt_rand rand = {test_seed() + (uint64_t)atomic_fetch_add(&next_user, 1)};
    unsigned char bytes[16];
    ssize_t n;
    (void)arg;
    do {
        tuco_fd *f = tuco_fd_ref(p.in);
        n = tuco_fd_read(f, bytes, 1 + rt_rand_below(&rand, sizeof bytes));
        for (ssize_t i = 0; i < n; i++) {
            atomic_fetch_add(&heard, bytes[i] + 1);
        }
        tuco_fd_unref(f);
    } while (n > 0);
    ASSERT_AMONG(n, 0, -ECANCELED, -EBADF); // 0: the read saw the other end closed
}

static int run_main(void *arg) {
    (void)arg;
    p = net_open(net_socketpair);
    tuco_fd_ref(p.in);
    for (int i = 0; i < USERS; i++) {
        ASSERT_EQ(tuco_wg_go(&readers, read_at_random, NULL), 0);
        ASSERT_EQ(tuco_wg_go(&writers, write_at_random, NULL), 0);
    }
    tuco_wg_wait(&writers);
    while (atomic_load(&heard) != atomic_load(&written)) {
        tuco_yield();
    }
    net_close(&p);
    tuco_wg_wait(&readers);
    tuco_fd_unref(p.in);
    return 0;
}

TEST(many_users) {
    RUN(run_main);
}
