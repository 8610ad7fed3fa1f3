/* SPDX-License-Identifier: MIT */
/* Proves: a tree of goroutines, ten children each, sums up the numbers of its leaves over
   channels, in bounded memory (WP-08). */
/* not under qemu */
#include "chans.h"

#define LEAVES     TEST_SIZE(1000000, 1000)
#define MEMORY_KIB (2 * 1024 * 1024)

struct node {
    tuco_chan *out; /* its own reference: the receiver continues at once */
    int64_t first;
    int64_t size;
};

static void sum_up(void *arg) {
    struct node *node = arg;
    int64_t sum = node->first;
    if (node->size > 1) {
        tuco_chan *in = CHAN(int64_t, 0);
        int64_t size = node->size / 10;
        for (int i = 0; i < 10; i++) {
            struct node child = {tuco_chan_ref(in), node->first + i * size, size};
            ASSERT_EQ(tuco_go_copy(sum_up, &child, sizeof(child)), 0);
        }
        sum = 0;
        for (int i = 0; i < 10; i++) {
            int64_t part;
            ASSERT_EQ(tuco_chan_recv(in, &part), 0);
            sum += part;
        }
        tuco_chan_unref(in);
    }
    ASSERT_EQ(tuco_chan_send(node->out, &sum), 0);
    tuco_chan_unref(node->out);
}

static int run_main(void *arg) {
    (void)arg;
    int64_t sum = 0;
    tuco_chan *c = CHAN(int64_t, 0);
    struct node root = {tuco_chan_ref(c), 0, LEAVES};
    ASSERT_EQ(tuco_go_copy(sum_up, &root, sizeof(root)), 0);
    ASSERT_EQ(tuco_chan_recv(c, &sum), 0);
    ASSERT_EQ(sum, (int64_t)LEAVES * (LEAVES - 1) / 2);
    if (LEAVES == 1000000) {
        ASSERT_EQ(sum, INT64_C(499999500000));
        ASSERT_LE(test_resident_kib(), MEMORY_KIB);
    }
    tuco_chan_unref(c);
    test_await_alone();
    return 0;
}

TEST(skynet) {
    RUN(run_main);
}
