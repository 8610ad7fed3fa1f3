/* SPDX-License-Identifier: MIT */
/* Proves: Fibonacci numbers, with one goroutine for each call and channels to join them,
   are right; so is the number of calls (WP-12). */
#include "chans.h"

#define N        TEST_SIZE(25, 13)
#define NUMBER_N TEST_SIZE(75025, 233)
#define CALLS    TEST_SIZE(242785, 753)

static atomic_int calls;

struct call {
    int n;
    tuco_chan *result; /* its own reference: the receiver continues at once */
};

static void fib(void *arg) {
    struct call *call = arg;
    int result = call->n;
    atomic_fetch_add(&calls, 1);
    if (call->n > 1) {
        tuco_chan *parts = CHAN(int, 0);
        struct call left = {call->n - 1, tuco_chan_ref(parts)};
        struct call right = {call->n - 2, tuco_chan_ref(parts)};
        ASSERT_EQ(tuco_go_copy(fib, &left, sizeof(left)), 0);
        ASSERT_EQ(tuco_go_copy(fib, &right, sizeof(right)), 0);
        result = test_recv(parts);
        result += test_recv(parts);
        tuco_chan_unref(parts);
    }
    test_send(call->result, result);
    tuco_chan_unref(call->result);
}

static int run_main(void *arg) {
    (void)arg;
    tuco_chan *result = CHAN(int, 0);
    struct call root = {N, tuco_chan_ref(result)};
    ASSERT_EQ(tuco_go_copy(fib, &root, sizeof(root)), 0);
    ASSERT_EQ(test_recv(result), NUMBER_N);
    ASSERT_EQ(atomic_load(&calls), CALLS);
    tuco_chan_unref(result);
    test_await_alone();
    return 0;
}

TEST(fork_join_fibonacci) {
    RUN(run_main);
}
