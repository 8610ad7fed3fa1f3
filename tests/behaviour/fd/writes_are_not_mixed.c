/* SPDX-License-Identifier: MIT */
/* Proves: the bytes of one call arrive in one piece, although many goroutines and threads
   write at once, more than the kernel buffers hold, from one buffer or several
   (NP-14). */
#include "net.h"
#include "base/rand.h"

#define WRITERS   8
#define THREADS   2 /* of the writers */
#define RECORDS   TEST_SIZE(60, 15)
#define SIZE_MAX_ 100000

struct head {
    int writer;
    int number;  /* of the writer's records, one after the other */
    size_t size; /* of what follows */
};

static tuco_wg wg;
static tuco_fd *out;
static atomic_int next_writer;

static void write_in_pieces(struct head *head, char *bytes) {
    size_t cut = head->size / 3;
    struct iovec iov[] = {
        {head, sizeof *head}, {bytes, cut}, {NULL, 0}, {bytes + cut, head->size - cut}};
    ASSERT_EQ(tuco_fd_writev(out, iov, 4), sizeof *head + head->size);
}

static void write_records(void *arg) {
    struct head head = {.writer = atomic_fetch_add(&next_writer, 1)};
    struct rt_rand rand = {test_seed() + (uint64_t)head.writer};
    char *record = malloc(sizeof head + SIZE_MAX_);
    (void)arg;
    for (; head.number < RECORDS; head.number++) {
        head.size = rt_rand_below(&rand, 4) == 0 ? rt_rand_below(&rand, SIZE_MAX_)
                                                 : rt_rand_below(&rand, 100);
        memset(record + sizeof head, head.writer + head.number, head.size);
        memcpy(record, &head, sizeof head);
        if (rt_rand_below(&rand, 2) == 0) {
            write_in_pieces(&head, record + sizeof head);
        } else {
            size_t size = sizeof head + head.size;
            ASSERT_EQ(tuco_fd_write(out, record, size), size);
        }
    }
    free(record);
}

static void read_record(tuco_fd *in, int *numbers) {
    static char bytes[SIZE_MAX_];
    struct head head;
    net_hear_bytes(in, &head, sizeof head);
    ASSERT(head.writer >= 0 && head.writer < WRITERS && head.size < SIZE_MAX_);
    ASSERT_EQ(head.number, numbers[head.writer]++);
    net_hear_bytes(in, bytes, head.size);
    for (size_t i = 0; i < head.size; i++) {
        ASSERT_EQ(bytes[i], (char)(head.writer + head.number));
    }
}

static void write_through(net_kind *kind) {
    struct net_pair p = net_open(kind);
    struct test_thread threads[THREADS];
    int numbers[WRITERS] = {0};
    atomic_store(&next_writer, 0);
    out = p.out;
    for (int i = 0; i < WRITERS; i++) {
        if (i < THREADS) {
            test_thread_start(&threads[i], write_records, NULL);
        } else {
            ASSERT_EQ(tuco_wg_go(&wg, write_records, NULL), 0);
        }
    }
    for (int i = 0; i < WRITERS * RECORDS; i++) {
        read_record(p.in, numbers);
    }
    tuco_wg_wait(&wg);
    for (int i = 0; i < THREADS; i++) {
        test_thread_join(&threads[i]);
    }
    net_close(&p);
}

static int run_main(void *arg) {
    (void)arg;
    write_through(net_pipe);
    write_through(net_socketpair);
    write_through(net_tcp);
    return 0;
}

TEST(writes_are_not_mixed) {
    RUN(run_main);
}
