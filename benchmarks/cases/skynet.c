/* SPDX-License-Identifier: MIT */
/* What does a leaf cost in a tree of goroutines that sums up a million leaves? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define LEAVES   1000000
#define CHILDREN 10
#define SUM      499999500000 /* of 0 to LEAVES - 1 */

/* All nodes of the tree, per leaf: each level has a tenth of the nodes of the one
   below. */
#define NODES_PER_LEAF 1.111111

TUCO_CHAN(sums, int64_t);

/* Owned by the goroutine, which releases the channel. */
struct node {
    sums_chan *out;
    int64_t first;
    int64_t leaves;
};

static void run_node(void *arg);

static int64_t sum_children(const struct node *n) {
    sums_chan *c = sums_make(0);
    bench_check_made(c, "sums_make");
    for (int i = 0; i < CHILDREN; i++) {
        int64_t leaves = n->leaves / CHILDREN;
        struct node child = {
            .out = sums_ref(c), .first = n->first + i * leaves, .leaves = leaves};
        bench_check(tuco_go_copy(run_node, &child, sizeof child), "tuco_go_copy");
    }
    int64_t sum = 0;
    for (int i = 0; i < CHILDREN; i++) {
        int64_t v;
        sums_recv(c, &v);
        sum += v;
    }
    sums_unref(c);
    return sum;
}

static void run_node(void *arg) {
    struct node *n = arg;
    sums_send(n->out, n->leaves == 1 ? n->first : sum_children(n));
    sums_unref(n->out);
}

static void skynet(size_t leaves) {
    sums_chan *c = sums_make(0);
    bench_check_made(c, "sums_make");
    struct node root = {.out = sums_ref(c), .leaves = (int64_t)leaves};
    bench_check(tuco_go_copy(run_node, &root, sizeof root), "tuco_go_copy");
    int64_t sum;
    sums_recv(c, &sum);
    sums_unref(c);
    if (sum != SUM) {
        bench_die("the leaves sum up to %lld, not %lld", (long long)SUM, (long long)sum);
    }
}

/* Each node is entered once, and its result is sent and received: half a pair each, for
   the locks. The waits of the inner nodes are not counted: their children may already be
   done. */
void bench_skynet(void) {
    bench_time(LEAVES, skynet,
               (struct bench_floor){.switches = NODES_PER_LEAF, .pairs = NODES_PER_LEAF});
}
