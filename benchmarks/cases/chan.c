/* SPDX-License-Identifier: MIT */
/* What does it cost to pass a value through a channel: alone, in a stream, in a crowd? */
#include <tuco.h>

#include "cases.h"
#include "harness.h"

#define ROUND_TRIPS 1000000
#define STREAM      5000000
#define CROWD       4000000
#define HOPS        1000000

#define BUFFER_VALUES 128
#define SENDERS       4
#define RECEIVERS     4
#define LINKS         1000

TUCO_CHAN(ints, int64_t);

static ints_chan *make(size_t capacity) {
    ints_chan *c = ints_make(capacity);
    bench_check_made(c, "ints_make");
    return c;
}

/* 0 + 1 + ... + (n - 1): the expected sum. */
static int64_t sum_below(size_t n) {
    return (int64_t)(n * (n - 1) / 2);
}

static void check_sum(int64_t sum, int64_t expected) {
    if (sum != expected) {
        bench_die("the values sum up to %lld, not %lld", (long long)expected,
                  (long long)sum);
    }
}

/* There and back. */

/* Owned by the goroutine, which releases the channels; so are all such structs below. */
struct returner {
    ints_chan *in;
    ints_chan *out;
    size_t values;
};

static void give_back(void *arg) {
    struct returner *r = arg;
    for (size_t i = 0; i < r->values; i++) {
        int64_t v;
        ints_recv(r->in, &v);
        ints_send(r->out, v);
    }
    ints_unref(r->in);
    ints_unref(r->out);
}

static void pingpong(size_t n) {
    ints_chan *a = make(0);
    ints_chan *b = make(0);
    struct returner r = {.in = ints_ref(a), .out = ints_ref(b), .values = n};
    bench_check(tuco_go_copy(give_back, &r, sizeof r), "tuco_go_copy");
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t v;
        ints_send(a, (int64_t)i);
        ints_recv(b, &v);
        sum += v;
    }
    check_sum(sum, sum_below(n));
    ints_unref(a);
    ints_unref(b);
}

/* Each of the two must run before the other can continue. Two values, each sent and
   received under its channel's lock; taking a lock is half a pair. */
void bench_pingpong(void) {
    bench_time(ROUND_TRIPS, pingpong, (struct bench_floor){.switches = 2, .pairs = 2});
}

/* One sender and one receiver with a buffer in between. */

struct sender {
    ints_chan *out;
    size_t values;
    tuco_wg *done; /* NULL: closes the channel instead */
};

static void send_all(void *arg) {
    struct sender *s = arg;
    for (size_t i = 0; i < s->values; i++) {
        ints_send(s->out, (int64_t)i);
    }
    if (s->done == NULL) {
        ints_close(s->out);
    }
    ints_unref(s->out);
    if (s->done != NULL) {
        tuco_wg_done(s->done);
    }
}

static void stream(size_t n) {
    ints_chan *c = make(BUFFER_VALUES);
    struct sender s = {.out = ints_ref(c), .values = n};
    bench_check(tuco_go_copy(send_all, &s, sizeof s), "tuco_go_copy");
    int64_t sum = 0;
    int64_t v;
    while (ints_recv(c, &v) == 0) {
        sum += v;
    }
    check_sum(sum, sum_below(n));
    ints_unref(c);
}

/* A send and a receive, half a pair each. Between two times that the receiver blocks there
   are two switches, and at most these values pass: the buffer, the value handed directly
   to the waiting receiver, and the one that the sender blocks with. */
void bench_chan_buf128(void) {
    bench_time(STREAM, stream,
               (struct bench_floor){.switches = 2.0 / (BUFFER_VALUES + 2), .pairs = 1});
}

/* Many senders and receivers on one channel. */

struct receiver {
    ints_chan *in;
    int64_t *sum; /* where the result is stored */
    tuco_wg *done;
};

static void receive_all(void *arg) {
    struct receiver *r = arg;
    int64_t sum = 0;
    int64_t v;
    while (ints_recv(r->in, &v) == 0) {
        sum += v;
    }
    *r->sum = sum;
    ints_unref(r->in);
    tuco_wg_done(r->done);
}

static void crowd(size_t n) {
    ints_chan *c = make(BUFFER_VALUES);
    tuco_wg sent = {0};
    tuco_wg received = {0};
    int64_t sums[RECEIVERS];
    tuco_wg_add(&sent, SENDERS);
    tuco_wg_add(&received, RECEIVERS);
    for (int k = 0; k < SENDERS; k++) {
        struct sender s = {.out = ints_ref(c), .values = n / SENDERS, .done = &sent};
        bench_check(tuco_go_copy(send_all, &s, sizeof s), "tuco_go_copy");
        struct receiver r = {.in = ints_ref(c), .sum = &sums[k], .done = &received};
        bench_check(tuco_go_copy(receive_all, &r, sizeof r), "tuco_go_copy");
    }
    tuco_wg_wait(&sent);
    ints_close(c);
    tuco_wg_wait(&received);
    int64_t sum = 0;
    for (int k = 0; k < RECEIVERS; k++) {
        sum += sums[k];
    }
    check_sum(sum, SENDERS * sum_below(n / SENDERS));
    ints_unref(c);
}

/* A send and a receive, half a pair each. The minimum number of switches depends on the
   schedule, so none are counted. */
void bench_chan_mpmc4x4(void) {
    _Static_assert(SENDERS == RECEIVERS, "started in pairs");
    bench_time(CROWD, crowd, (struct bench_floor){.pairs = 1});
}

/* A ring of goroutines. */

struct link {
    ints_chan *in;
    ints_chan *out;
};

static void hand_on(void *arg) {
    struct link *l = arg;
    int64_t v;
    while (ints_recv(l->in, &v) == 0) {
        ints_send(l->out, v);
    }
    ints_close(l->out);
    ints_unref(l->in);
    ints_unref(l->out);
}

/* Returns the channel at which values sent to first come out. */
static ints_chan *build_ring(ints_chan *first) {
    ints_chan *in = ints_ref(first);
    for (int i = 0; i < LINKS; i++) {
        ints_chan *out = make(0);
        struct link l = {.in = in, .out = ints_ref(out)};
        bench_check(tuco_go_copy(hand_on, &l, sizeof l), "tuco_go_copy");
        in = out; /* moves the reference to the next link */
    }
    return in;
}

static void ring(size_t hops) {
    ints_chan *first = make(0);
    ints_chan *last = build_ring(first);
    int64_t sum = 0;
    int64_t v;
    for (size_t i = 0; i < hops / LINKS; i++) {
        ints_send(first, (int64_t)i);
        ints_recv(last, &v);
        sum += v;
    }
    check_sum(sum, sum_below(hops / LINKS));
    ints_close(first);
    while (ints_recv(last, &v) == 0) {
    }
    ints_unref(first);
    ints_unref(last);
}

/* At each hop another goroutine must run, receive and send. */
void bench_ring1000(void) {
    bench_time(HOPS, ring, (struct bench_floor){.switches = 1, .pairs = 1});
}
