/* SPDX-License-Identifier: MIT */
/* Proves: readers get their turns in the order in which they came, and so do writers.
   Goroutines and threads share one queue. */
#include "net.h"

#define COUNT 12

static struct net_pair p;
static atomic_int read_order;
static tuco_wg wg;
static char room[NET_TOO_MUCH];

/* The byte that it reads is its place in the queue. */
static void read_one(void *arg) {
    char byte;
    ASSERT_EQ(tuco_fd_read(p.in, &byte, 1), 1);
    ASSERT_EQ(byte, (intptr_t)arg);
    atomic_fetch_add(&read_order, 1);
}

/* Long enough to be written in several parts. */
static void write_one(void *arg) {
    static char texts[COUNT][NET_BUFFER_BYTES];
    intptr_t place = (intptr_t)arg;
    memset(texts[place], (int)place + 1, sizeof texts[place]);
    ASSERT_EQ(tuco_fd_write(p.out, texts[place], sizeof texts[place]),
              sizeof texts[place]);
}

/* Starts the callers one by one, each when the caller before waits. */
static void line_up(tuco_fn *fn, struct test_thread *threads) {
    for (intptr_t i = 0; i < COUNT; i++) {
        if (i % 3 == 2) {
            test_thread_start(&threads[i / 3], fn, (void *)i);
        } else {
            ASSERT_EQ(tuco_wg_go(&wg, fn, (void *)i), 0);
        }
        test_await_waiting((int)i + 1);
    }
}

static void let_end(struct test_thread *threads) {
    tuco_wg_wait(&wg);
    for (int i = 0; i < COUNT / 3; i++) {
        tuco_blocking_enter();
        test_thread_join(&threads[i]);
        tuco_blocking_exit();
    }
}

static void readers(void) {
    struct test_thread threads[COUNT / 3];
    line_up(read_one, threads);
    for (char i = 0; i < COUNT; i++) {
        ASSERT_EQ(tuco_fd_write(p.out, &i, 1), 1);
    }
    let_end(threads);
    ASSERT_EQ(atomic_load(&read_order), COUNT);
}

static void writers(void) {
    struct test_thread threads[COUNT / 3];
    net_fill(p.out);
    line_up(write_one, threads);
    int last = 0;
    for (size_t got = 0; last < COUNT || got < NET_BUFFER_BYTES;) {
        ssize_t n = tuco_fd_read(p.in, room, sizeof room);
        ASSERT_GT(n, 0);
        for (ssize_t i = 0; i < n; i++, got++) {
            if (room[i] != last) {
                ASSERT_EQ(room[i], last + 1);
                ASSERT(last == 0 || got == NET_BUFFER_BYTES);
                last = room[i];
                got = 0;
            }
        }
    }
    let_end(threads);
}

static int run_main(void *arg) {
    net_kind *kinds[] = {net_pipe, net_socketpair, net_tcp};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        atomic_store(&read_order, 0);
        p = net_open(kinds[i]);
        readers();
        if (kinds[i] != net_tcp) { // buffers of TCP may have room again later
            writers();
        }
        net_close(&p);
    }
    return 0;
}

TEST(turns_are_in_order) {
    RUN(run_main);
}
