/* SPDX-License-Identifier: MIT */
/* Proves: the only ready operation is done once, with the right value, whatever cases are
   around it: the paths for one, two and many cases agree (SE-17). */
#include "chans.h"

static tuco_chan *c;
static tuco_chan *never;
static int value;
static int unused;

/* Bits of a shape. */
enum {
    SENDS = 1,
    DEFAULT_FIRST = 2,
    DEFAULT_LAST = 4,
    SEND_NEVER = 8,
    RECV_NEVER = 16,
    SEND_NULL = 32,
    RECV_NULL = 64,
    MANY = 128, /* more than a stack frame has room for */
    SHAPES = 256,
};

static int build(int shape, tuco_case *cases, int *real) {
    int n = 0;
    if (shape & DEFAULT_FIRST) {
        cases[n++] = (tuco_case)TUCO_DEFAULT;
    }
    if (shape & SEND_NEVER) {
        cases[n++] = (tuco_case)TUCO_SEND(never, &unused);
    }
    if (shape & RECV_NULL) {
        cases[n++] = (tuco_case)TUCO_RECV(NULL, &unused);
    }
    *real = n;
    cases[n++] =
        shape & SENDS ? (tuco_case)TUCO_SEND(c, &value) : (tuco_case)TUCO_RECV(c, &value);
    if (shape & RECV_NEVER) {
        cases[n++] = (tuco_case)TUCO_RECV(never, &unused);
    }
    if (shape & SEND_NULL) {
        cases[n++] = (tuco_case)TUCO_SEND(NULL, &unused);
    }
    for (int i = 0; i < (shape & MANY ? 20 : 0); i++) {
        cases[n++] = (tuco_case)TUCO_RECV(never, &unused);
    }
    if (shape & DEFAULT_LAST) {
        cases[n++] = (tuco_case)TUCO_DEFAULT;
    }
    return n;
}

static void try_shape(int shape) {
    tuco_case cases[32];
    int real;
    size_t n = (size_t)build(shape, cases, &real);
    for (int i = 0; i < 4; i++) {
        value = shape & SENDS ? i : -1;
        if (!(shape & SENDS)) {
            test_send(c, i);
        }
        int chosen = i % 2 == 0 ? tuco_select(cases, n)
                                : tuco_select_until(cases, n, i == 1 ? 0 : TUCO_NEVER);
        ASSERT_EQ(chosen, real);
        ASSERT_EQ(cases[real].result, 0);
        ASSERT_EQ(shape & SENDS ? test_recv(c) : value, i);
        ASSERT_EQ(tuco_chan_len(c), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    c = CHAN(int, 1);
    never = CHAN(int, 0);
    for (int shape = 0; shape < SHAPES; shape++) {
        if ((shape & DEFAULT_FIRST) == 0 || (shape & DEFAULT_LAST) == 0) {
            try_shape(shape);
        }
    }
    tuco_chan_unref(c);
    tuco_chan_unref(never);
    return 0;
}

TEST(case_shapes) {
    RUN(run_main);
}
