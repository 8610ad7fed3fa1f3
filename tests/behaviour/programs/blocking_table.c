/* SPDX-License-Identifier: MIT */
/* Proves: whether each form of each operation blocks on each kind of channel, and what it
   returns (WP-05). */
#include "chans.h"

/* The channel that an operation uses. */
enum kind { NIL, EMPTY, FULL, ROOM, VALUE, CLOSED, CLOSED_VALUE, KINDS };

#define BLOCKS 1 /* no result is positive */

/* What a blocking form returns, by kind of channel. */
static const int send_gives[KINDS] = {BLOCKS, BLOCKS, BLOCKS, 0, BLOCKS, -EPIPE, -EPIPE};
static const int recv_gives[KINDS] = {BLOCKS, BLOCKS, 0, BLOCKS, 0, -EPIPE, 0};

enum form { DIRECT, UNTIL_NEVER, SELECT_1, SELECT_2, SELECT_5, FORMS };

/* One call. The goroutine owns it until it is done. */
struct attempt {
    tuco_chan *c;
    enum form form;
    bool sends;
    int result;
    atomic_int done;
};

/* No goroutine is at the other end of either channel. */
static tuco_chan *never_taken;
static tuco_chan *never_filled;

static tuco_chan *make(enum kind kind) {
    tuco_chan *c = kind == NIL ? NULL : CHAN(int, kind == EMPTY ? 0 : 1);
    if (kind == FULL || kind == VALUE || kind == CLOSED_VALUE) {
        test_send(c, 1);
    }
    if (kind == CLOSED || kind == CLOSED_VALUE) {
        tuco_chan_close(c);
    }
    return c;
}

static int by_select(const struct attempt *a, int *value, size_t n) {
    tuco_case send = TUCO_SEND(a->c, value);
    tuco_case recv = TUCO_RECV(a->c, value);
    tuco_case cases[] = {a->sends ? send : recv, TUCO_RECV(NULL, NULL),
                         TUCO_SEND(never_taken, value), TUCO_RECV(never_filled, value),
                         TUCO_SEND(NULL, value)};
    ASSERT_EQ(tuco_select(cases, n), 0);
    return cases[0].result;
}

static void try_it(void *arg) {
    struct attempt *a = arg;
    int value = 2;
    switch (a->form) {
    case DIRECT:
        a->result =
            a->sends ? tuco_chan_send(a->c, &value) : tuco_chan_recv(a->c, &value);
        break;
    case UNTIL_NEVER:
        a->result = a->sends ? tuco_chan_send_until(a->c, &value, TUCO_NEVER)
                             : tuco_chan_recv_until(a->c, &value, TUCO_NEVER);
        break;
    case SELECT_1: a->result = by_select(a, &value, 1); break;
    case SELECT_2: a->result = by_select(a, &value, 2); break;
    default: a->result = by_select(a, &value, 5); break;
    }
    atomic_store(&a->done, 1);
}

/* Goroutines that block for ever stay blocked. */
static void expect(struct attempt *a, int wanted, int *blocked) {
    ASSERT_EQ(tuco_go(try_it, a), 0);
    if (wanted == BLOCKS) {
        test_await_waiting(++*blocked);
        ASSERT_EQ(atomic_load(&a->done), 0);
    } else {
        test_await(&a->done, 1);
        ASSERT_EQ(a->result, wanted);
    }
}

static int run_main(void *arg) {
    (void)arg;
    static struct attempt attempts[2][KINDS][FORMS];
    int blocked = 0;
    never_taken = CHAN(int, 0);
    never_filled = CHAN(int, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int form = 0; form < FORMS; form++) {
            struct attempt *send = &attempts[0][kind][form];
            struct attempt *recv = &attempts[1][kind][form];
            *send = (struct attempt){make(kind), form, true, BLOCKS, 0};
            *recv = (struct attempt){make(kind), form, false, BLOCKS, 0};
            expect(send, send_gives[kind], &blocked);
            expect(recv, recv_gives[kind], &blocked);
        }
    }
    for (int i = 0; i < 1000; i++) {
        tuco_yield();
    }
    ASSERT_EQ(test_waiting(), blocked);
    return 0;
}

TEST(blocking_forms) {
    RUN(run_main);
}

/* The forms that do not block return -EAGAIN or -ETIMEDOUT instead, or choose the
   default. */
TEST(trying_forms) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int sends = 0; sends < 2; sends++) {
            int value = 2;
            int gives = sends ? send_gives[kind] : recv_gives[kind];
            tuco_chan *c = make(kind);
            int got =
                sends ? tuco_chan_try_send(c, &value) : tuco_chan_try_recv(c, &value);
            ASSERT_EQ(got, gives == BLOCKS ? -EAGAIN : gives);
            tuco_chan_unref(c);
            c = make(kind);
            got = sends ? tuco_chan_send_until(c, &value, 0)
                        : tuco_chan_recv_until(c, &value, 0);
            ASSERT_EQ(got, gives == BLOCKS ? -ETIMEDOUT : gives);
            tuco_chan_unref(c);
            c = make(kind);
            tuco_case send = TUCO_SEND(c, &value);
            tuco_case recv = TUCO_RECV(c, &value);
            tuco_case cases[] = {TUCO_DEFAULT, sends ? send : recv};
            ASSERT_EQ(tuco_select(cases, 2), gives == BLOCKS ? 0 : 1);
            ASSERT_EQ(cases[1].result, gives == BLOCKS ? 0 : gives);
            tuco_chan_unref(c);
        }
    }
}
