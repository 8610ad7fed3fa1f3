/* SPDX-License-Identifier: MIT */
/* chans.c: helpers for tests of channels. */
#include "chans.h"

#include "sched/sched.h"

tuco_chan *test_chan_make(const char *file, int line, size_t elem_size, size_t capacity) {
    tuco_chan *c = tuco_chan_make(elem_size, capacity);
    if (c == NULL) {
        /* The format of an assertion on an error number, which tests/fault/sweep.sh
           parses. */
        test_fail(file, line, "no channel of %zu elements of %zu bytes; left %d",
                  capacity, elem_size, -ENOMEM);
    }
    return c;
}

void test_send(tuco_chan *c, int value) {
    ASSERT_EQ(tuco_chan_send(c, &value), 0);
}

int test_recv(tuco_chan *c) {
    int value = -1;
    ASSERT_EQ(tuco_chan_recv(c, &value), 0);
    return value;
}

void test_expect_drained(tuco_chan *c) {
    int value = -1;
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(tuco_chan_recv(c, &value), -EPIPE);
        ASSERT_EQ(value, 0);
        value = -1;
        ASSERT_EQ(tuco_chan_try_recv(c, &value), -EPIPE);
        ASSERT_EQ(value, 0);
        value = -1;
        ASSERT_EQ(tuco_chan_recv_until(c, &value, TUCO_NEVER), -EPIPE);
        ASSERT_EQ(value, 0);
        value = -1;
        tuco_case one[] = {TUCO_RECV(c, &value)};
        ASSERT_EQ(tuco_select(one, 1), 0);
        ASSERT_EQ(one[0].result, -EPIPE);
        ASSERT_EQ(value, 0);
        value = -1;
        tuco_case two[] = {TUCO_RECV(NULL, NULL), TUCO_RECV(c, &value), TUCO_DEFAULT};
        ASSERT_EQ(tuco_select(two, 3), 1);
        ASSERT_EQ(two[1].result, -EPIPE);
        ASSERT_EQ(value, 0);
    }
}

/* wait_reason belongs to the waiter and may change while this reads it: then the waiter is
   about to be woken. */
static __attribute__((no_sanitize("thread"))) bool waits(const struct rt_g *g) {
    const volatile struct rt_g *look = g;
    /* acquire: no release partner; makes it likely on weakly ordered machines that the
       waiter is in its queue */
    return rt_load_acq(&g->slot.state) == RT_G_WAITING &&
           ((look->flags & RT_G_FLAG_FOREIGN) != 0 || look->wait_reason != RT_WAIT_stack);
}

struct capacities {
    size_t end;
    void (*try_one)(size_t capacity);
};

static int capacities_main(void *arg) {
    const struct capacities *all = arg;
    for (size_t capacity = 0; capacity < all->end; capacity++) {
        all->try_one(capacity);
    }
    return 0;
}

void test_each_capacity(size_t end, void (*try_capacity)(size_t capacity)) {
    struct capacities all = {end, try_capacity};
    ASSERT_EQ(tuco_run(capacities_main, &all), 0);
}

int test_waiting(void) {
    int count = 0;
    uint32_t end = rt_gpool_end();
    for (uint32_t i = 1; i < end; i++) {
        count += waits(rt_g_of(rt_gpool_at(i)));
    }
    return count;
}

void test_await_waiting(int n) {
    while (test_waiting() < n) {
        tuco_yield();
    }
}
