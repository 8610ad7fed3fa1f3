/* SPDX-License-Identifier: MIT */
/* Proves: a prime sieve with one filter goroutine for each prime produces the primes in
   order, and main may return while all filters are blocked (WP-01). */
#include "chans.h"

#define PRIMES TEST_SIZE(1000, 100)

/* Kept reachable: the goroutines that use them stay blocked. */
static tuco_chan *channels[PRIMES + 1];

struct filter {
    tuco_chan *in;
    tuco_chan *out;
    int prime;
};

static void generate(void *out) {
    for (int i = 2;; i++) {
        test_send(out, i);
    }
}

static void filter(void *arg) {
    struct filter *f = arg;
    for (;;) {
        int i = test_recv(f->in);
        if (i % f->prime != 0) {
            test_send(f->out, i);
        }
    }
}

static int run_main(void *arg) {
    (void)arg;
    static const int first[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
    int prime = 0;
    channels[0] = CHAN(int, 0);
    ASSERT_EQ(tuco_go(generate, channels[0]), 0);
    for (int i = 0; i < PRIMES; i++) {
        prime = test_recv(channels[i]);
        if (i < 25) {
            ASSERT_EQ(prime, first[i]);
        }
        channels[i + 1] = CHAN(int, 0);
        struct filter f = {channels[i], channels[i + 1], prime};
        ASSERT_EQ(tuco_go_copy(filter, &f, sizeof(f)), 0);
    }
    ASSERT_EQ(prime, PRIMES == 1000 ? 7919 : 541);
    return 0;
}

TEST(sieve) {
    RUN(run_main);
}
