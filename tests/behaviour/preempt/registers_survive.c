/* SPDX-License-Identifier: MIT */
/* Proves: an interruption does not change a goroutine's integer, floating-point and
   vector registers. */
/* fixed procs */
#include "hogs.h"
#include "rounding.h"

#define HOGS  3
#define STEPS TEST_SIZE(200000, 50000)

typedef double vector __attribute__((vector_size(16)));

struct sums {
    vector vectors[8];
    double numbers[4];
    long double wide;
    uint64_t words[4];
};

static tuco_wg wg;
static struct sums wanted;

/* Out of line and with many values alive at a time, so that they are kept in registers. */
__attribute__((noinline)) static void compute(struct sums *s) {
    vector a = {1, 2}, b = {3, 4}, c = {5, 6}, d = {7, 8};
    vector e = a + b, f = b + c, g = c + d, h = d + a;
    double p = 1, q = 2, r = 3, t = 4;
    long double wide = 1;
    uint64_t k = 1, l = 2, m = 3, n = 4;
    for (int i = 0; i < STEPS; i++) {
        a = a * 0.5 + h, b = b * 0.5 + a, c = c * 0.5 + b, d = d * 0.25 + c;
        e = e * 0.25 + a, f = f * 0.5 + e, g = g * 0.25 + d, h = h * 0.125 + 1;
        p = p / 3 + t, q = q / 5 + p, r = r / 7 + q, t = t / 9 + 1;
        wide = wide / 3 + i;
        k = k * 3 + n, l = l * 5 + k, m = m * 7 + l, n = n * 9 + 1;
    }
    *s = (struct sums){{a, b, c, d, e, f, g, h}, {p, q, r, t}, wide, {k, l, m, n}};
}

static void expect_same(void) {
    struct sums s;
    compute(&s);
    for (int i = 0; i < 8; i++) {
        ASSERT(s.vectors[i][0] == wanted.vectors[i][0]);
        ASSERT(s.vectors[i][1] == wanted.vectors[i][1]);
    }
    for (int i = 0; i < 4; i++) {
        ASSERT(s.numbers[i] == wanted.numbers[i]);
        ASSERT_EQ(s.words[i], wanted.words[i]);
    }
    ASSERT(s.wide == wanted.wide);
}

static void hog(void *arg) {
    (void)arg;
    for (int before = atomic_load(&turns); atomic_load(&turns) - before < HOG_TURNS;) {
        expect_same();
        ASSERT_EQ(test_rounding_get(), 0);
    }
}

static int run_main(void *arg) {
    (void)arg;
    turns_start();
    for (int i = 0; i < HOGS; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, hog, NULL), 0);
    }
    tuco_wg_wait(&wg);
    turns_stop();
    return 0;
}

TEST(registers_survive) {
    hogs_use(1);
    compute(&wanted); // before the runtime starts
    RUN(run_main);
}
