/* SPDX-License-Identifier: MIT */
/* Proves: a write returns when the kernel has accepted all its bytes, however few it
   accepts at once and however slowly they are read. */
#include "net.h"
#include "base/rand.h"

#define BYTES ((size_t)1024 * 1024)

static unsigned char text[BYTES];
static unsigned char heard[BYTES];
static tuco_wg wg;
static atomic_int written;

static void write_all(void *f) {
    ASSERT_EQ(tuco_fd_write(f, text, BYTES), BYTES);
    atomic_store(&written, 1);
}

/* Some of odd sizes, some large, some empty. */
static void write_pieces(void *f) {
    struct iovec iov[40];
    struct rt_rand rand = {test_seed()};
    size_t done = 0;
    for (int i = 0; i < 39; i++) {
        size_t size = rt_rand_below(&rand, 3) * rt_rand_below(&rand, BYTES / 160);
        iov[i] = (struct iovec){.iov_base = text + done, .iov_len = size};
        done += size;
    }
    iov[39] = (struct iovec){.iov_base = text + done, .iov_len = BYTES - done};
    ASSERT_EQ(tuco_fd_writev(f, iov, 40), BYTES);
    atomic_store(&written, 1);
}

static void read_slowly(tuco_fd *f) {
    struct rt_rand rand = {test_seed() + 1};
    memset(heard, 0, sizeof heard);
    for (size_t got = 0; got < BYTES;) {
        size_t size = 1 + rt_rand_below(&rand, 20000);
        ssize_t n = tuco_fd_read(f, heard + got, size < BYTES - got ? size : BYTES - got);
        ASSERT_GT(n, 0);
        ASSERT(got > 0 || atomic_load(&written) == 0);
        got += (size_t)n;
        if (rt_rand_below(&rand, 4) == 0) {
            tuco_yield();
        }
    }
    net_expect_numbered(heard, BYTES, 0);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_tcp, net_socketpair, net_pipe, net_terminal};
    tuco_fn *ways[] = {write_all, write_pieces};
    (void)arg;
    net_number(text, BYTES, 0);
    for (int i = 0; i < 8; i++) {
        struct net_pair p = net_open(kinds[i / 2]);
        atomic_store(&written, 0);
        ASSERT_EQ(tuco_wg_go(&wg, ways[i % 2], p.out), 0);
        test_await_waiting(1);
        read_slowly(p.in);
        tuco_wg_wait(&wg);
        net_close(&p);
    }
    return 0;
}

TEST(writes_are_completed) {
    RUN(run_main);
}
