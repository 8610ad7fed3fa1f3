/* SPDX-License-Identifier: MIT */
/* Fibonacci numbers by a tree of goroutines on every CPU: the price of spawn and wait. */
#include <stdio.h>
#include <tuco.h>

/* One call of fib(n), on the stack of its caller, which waits for it. */
struct fib {
    int n;
    long value;      /* the answer */
    long goroutines; /* the number of goroutines, without this one */
};

/* A new goroutine computes fib(n - 1) in the same way, and this one computes fib(n - 2).
   There is no cut-off to plain recursion: each addition costs a goroutine, as the
   demonstration intends. */
static void fib(void *arg) {
    struct fib *f = arg;
    if (f->n < 2) {
        f->value = f->n;
        return;
    }
    struct fib left = {.n = f->n - 1};
    struct fib right = {.n = f->n - 2};
    tuco_wg wg = {0};

    int spawned = tuco_wg_go(&wg, fib, &left) == 0;
    if (!spawned) {
        fib(&left); /* no memory for a goroutine: the result is the same without */
    }
    fib(&right);
    tuco_wg_wait(&wg);

    f->value = left.value + right.value;
    f->goroutines = left.goroutines + right.goroutines + spawned;
}

static void show(int n) {
    struct fib root = {.n = n};
    tuco_time start = tuco_now();
    fib(&root);
    double ns = (double)(tuco_now() - start);
    printf("fib(%d) = %6ld   %6ld goroutines   %8.3f ms   %5.0f ns each\n", n, root.value,
           root.goroutines, ns / (double)TUCO_MILLISECOND, ns / (double)root.goroutines);
}

static int main_goroutine(void *arg) {
    (void)arg;
    printf("tuco %s on %d CPUs\n", tuco_version(), tuco_cpus());
    for (int n = 15; n <= 27; n += 3) {
        show(n);
    }
    return 0;
}

int main(void) {
    int result = tuco_run(main_goroutine, NULL);
    if (result < 0) {
        fprintf(stderr, "03-spawn-tree: error %d\n", -result);
        return 1;
    }
    return 0;
}
