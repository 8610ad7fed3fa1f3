/* SPDX-License-Identifier: MIT */
/* Proves: a product of matrices, split recursively down to pieces below 8 with a
   goroutine for one half, equals the sequential product (WP-11). */
#include "chans.h"

#include <stdlib.h>
#include <string.h>

#define N         TEST_SIZE(192, 64)
#define THRESHOLD 8

struct product {
    const int64_t *a;
    const int64_t *b;
    int64_t *c;
};

/* Rows i0 to i1, columns j0 to j1, and k0 to k1 of the sum. */
struct piece {
    struct product *product;
    tuco_chan *done; /* NULL: no goroutine waits; else its own reference */
    int i0, i1, j0, j1, k0, k1;
};

static void multiply(void *arg);

static void multiply_plain(const struct piece *p) {
    for (int i = p->i0; i < p->i1; i++) {
        for (int j = p->j0; j < p->j1; j++) {
            for (int k = p->k0; k < p->k1; k++) {
                p->product->c[i * N + j] +=
                    p->product->a[i * N + k] * p->product->b[k * N + j];
            }
        }
    }
}

/* Two pieces of the result are independent. Two pieces of a sum are not, and run one
   after the other. */
static void multiply_halves(struct piece *left, struct piece *right, bool together) {
    left->done = right->done = NULL;
    if (!together) {
        multiply(left);
        multiply(right);
        return;
    }
    tuco_chan *done = tuco_chan_make(0, 0);
    ASSERT_EQ(done != NULL ? 0 : -ENOMEM, 0);
    left->done = tuco_chan_ref(done);
    ASSERT_EQ(tuco_go_copy(multiply, left, sizeof(*left)), 0);
    multiply(right);
    ASSERT_EQ(tuco_chan_recv(done, NULL), 0);
    tuco_chan_unref(done);
}

static void multiply(void *arg) {
    struct piece *p = arg;
    struct piece left = *p;
    struct piece right = *p;
    int di = p->i1 - p->i0;
    int dj = p->j1 - p->j0;
    int dk = p->k1 - p->k0;
    if (di >= dj && di >= dk && di >= THRESHOLD) {
        left.i1 = right.i0 = p->i0 + di / 2;
        multiply_halves(&left, &right, true /* together */);
    } else if (dj >= dk && dj >= THRESHOLD) {
        left.j1 = right.j0 = p->j0 + dj / 2;
        multiply_halves(&left, &right, true /* together */);
    } else if (dk >= THRESHOLD) {
        left.k1 = right.k0 = p->k0 + dk / 2;
        multiply_halves(&left, &right, false /* together */);
    } else {
        multiply_plain(p);
    }
    if (p->done != NULL) {
        ASSERT_EQ(tuco_chan_send(p->done, NULL), 0);
        tuco_chan_unref(p->done);
    }
}

static int run_main(void *arg) {
    (void)arg;
    size_t bytes = (size_t)N * N * sizeof(int64_t);
    int64_t *a = malloc(bytes);
    int64_t *b = malloc(bytes);
    int64_t *parallel = calloc(1, bytes);
    int64_t *plain = calloc(1, bytes);
    for (int i = 0; i < N * N; i++) {
        a[i] = i * 7 % 1000 - 500;
        b[i] = i * 13 % 1000 - 500;
    }
    struct product in_parallel = {a, b, parallel};
    struct product in_sequence = {a, b, plain};
    multiply(&(struct piece){&in_parallel, NULL, 0, N, 0, N, 0, N});
    multiply_plain(&(struct piece){&in_sequence, NULL, 0, N, 0, N, 0, N});
    ASSERT_EQ(memcmp(parallel, plain, bytes), 0);
    free(a);
    free(b);
    free(parallel);
    free(plain);
    test_await_alone();
    return 0;
}

TEST(parallel_matrices) {
    RUN(run_main);
}
