/* SPDX-License-Identifier: MIT */
/* Proves: elements of any size arrive with every bit, by hand-off and through the buffer,
   and nothing beside them is written (CH-14). */
#include "chans.h"

#include <string.h>

#define LARGEST 5000
#define MARGIN  8

static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 16, 24, 32, 40, 64, 100, LARGEST};

struct transfer {
    tuco_chan *c;
    size_t size;
};

static tuco_wg end;

static unsigned char byte_of(size_t i, size_t size) {
    return (unsigned char)(i * 7 + size * 31 + 1);
}

static void write_pattern(unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = byte_of(i, size);
    }
}

static void expect_pattern(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ASSERT_EQ(bytes[i], byte_of(i, size));
    }
    for (size_t i = size; i < size + MARGIN; i++) {
        ASSERT_EQ(bytes[i], 0xee);
    }
}

static void send(void *arg) {
    struct transfer *t = arg;
    unsigned char bytes[LARGEST];
    write_pattern(bytes, t->size);
    ASSERT_EQ(tuco_chan_send(t->c, bytes), 0);
}

static void receive(void *arg) {
    struct transfer *t = arg;
    unsigned char bytes[LARGEST + MARGIN];
    memset(bytes, 0xee, sizeof(bytes));
    ASSERT_EQ(tuco_chan_recv(t->c, bytes), 0);
    expect_pattern(bytes, t->size);
}

/* First the receiver waits, then the sender; the partner never blocks. */
static void try_size(size_t size, size_t capacity) {
    struct transfer t = {tuco_chan_make(size, capacity), size};
    ASSERT_EQ(t.c != NULL ? 0 : -ENOMEM, 0);
    unsigned char bytes[LARGEST + MARGIN];
    memset(bytes, 0xee, sizeof(bytes));
    write_pattern(bytes, size);
    ASSERT_EQ(tuco_wg_go(&end, receive, &t), 0);
    test_await_waiting(1);
    ASSERT_EQ(tuco_chan_try_send(t.c, bytes), 0);
    tuco_wg_wait(&end);
    for (size_t i = 0; i < capacity; i++) {
        ASSERT_EQ(tuco_chan_try_send(t.c, bytes), 0);
    }
    ASSERT_EQ(tuco_wg_go(&end, send, &t), 0);
    test_await_waiting(1);
    for (size_t i = 0; i <= capacity; i++) {
        memset(bytes, 0xee, sizeof(bytes));
        ASSERT_EQ(tuco_chan_try_recv(t.c, bytes), 0);
        expect_pattern(bytes, size);
    }
    tuco_wg_wait(&end);
    tuco_chan_unref(t.c);
}

static int run_main(void *arg) {
    (void)arg;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        try_size(sizes[i], 0);
        try_size(sizes[i], 1);
        try_size(sizes[i], 3);
    }
    return 0;
}

TEST(element_sizes) {
    RUN(run_main);
}
