/* SPDX-License-Identifier: MIT */
/* Proves: tuco_fd_write_some() and tuco_fd_writev_some() return how many bytes the kernel
   has accepted, and an error only if it has accepted none. So the stream continues
   without a gap after a deadline. */
#include "some.h"

#define SOON (20 * TUCO_MILLISECOND)

static struct some s;
static unsigned char heard[sizeof s.text];

static void write_to_the_end(void *arg) {
    (void)arg;
    ASSERT_EQ(some_write_on(&s), 0);
}

/* If a count were too small, bytes would arrive twice; if too large, some would be
   lost. */
static void continue_after_deadline(net_kind *kind) {
    struct net_pair p = net_open(kind);
    tuco_wg wg = {0};
    s.f = p.out;
    s.written = 0;
    ASSERT_EQ(some_write(&s), 0); // though there is room for a part only
    ASSERT_EQ(tuco_fd_set_write_deadline(p.out, tuco_deadline(SOON)), 0);
    ASSERT_EQ(some_write_on(&s), -ETIMEDOUT);
    ASSERT_EQ(tuco_fd_set_write_deadline(p.out, TUCO_NEVER), 0);
    ASSERT_EQ(tuco_wg_go(&wg, write_to_the_end, NULL), 0);
    net_hear_bytes(p.in, heard, sizeof heard);
    tuco_wg_wait(&wg);
    net_expect_numbered(heard, sizeof heard, 0);
    net_close(&p);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_socketpair, net_pipe, net_tcp, net_terminal};
    some_fn *ways[] = {some_of_one_buffer, some_of_several};
    (void)arg;
    net_number(s.text, sizeof s.text, 0);
    for (int i = 0; i < 8; i++) {
        s.way = ways[i % 2];
        continue_after_deadline(kinds[i / 2]);
    }
    return 0;
}

TEST(write_some_continues_after_a_deadline) {
    RUN(run_main);
}
