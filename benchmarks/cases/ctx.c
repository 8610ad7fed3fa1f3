/* SPDX-License-Identifier: MIT */
/* What does each child of a context with many children cost: to make, cancel, free? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define CHILDREN 10000

struct spans {
    double make_ns;
    double cancel_ns;
    double free_ns;
};

static double ns_per_child(int64_t from_ns, int64_t to_ns) {
    return (double)(to_ns - from_ns) / CHILDREN;
}

static struct spans live_and_die(void) {
    static tuco_ctx *children[CHILDREN];
    tuco_ctx *parent = tuco_ctx_with_cancel(tuco_ctx_background());
    bench_check_made(parent, "tuco_ctx_with_cancel");

    int64_t start_ns = bench_now_ns();
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = tuco_ctx_with_cancel(parent);
        bench_check_made(children[i], "tuco_ctx_with_cancel");
    }
    int64_t made_ns = bench_now_ns();
    tuco_ctx_cancel(parent);
    int64_t cancelled_ns = bench_now_ns();

    for (int i = 0; i < CHILDREN; i++) {
        if (tuco_ctx_err(children[i]) == 0) {
            bench_die("child %d has outlived its parent", i);
        }
    }
    int64_t checked_ns = bench_now_ns();
    for (int i = 0; i < CHILDREN; i++) {
        tuco_ctx_unref(children[i]);
    }
    int64_t freed_ns = bench_now_ns();
    tuco_ctx_unref(parent);
    return (struct spans){.make_ns = ns_per_child(start_ns, made_ns),
                          .cancel_ns = ns_per_child(made_ns, cancelled_ns),
                          .free_ns = ns_per_child(checked_ns, freed_ns)};
}

static double make(size_t n) {
    (void)n;
    return live_and_die().make_ns;
}

static double cancel(size_t n) {
    (void)n;
    return live_and_die().cancel_ns;
}

static double give_back(size_t n) {
    (void)n;
    return live_and_die().free_ns;
}

/* The last figure has no twin: in Go the garbage collector frees, at another time. */
void bench_ctx_cancel(void) {
    bench_measure(NULL, "ns/op", CHILDREN, cancel);
    bench_measure("_make", "ns/op", CHILDREN, make);
    bench_measure("_free", "ns/op", CHILDREN, give_back);
}
