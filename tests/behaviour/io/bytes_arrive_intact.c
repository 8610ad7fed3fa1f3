/* SPDX-License-Identifier: MIT */
/* Proves: bytes arrive unchanged and in order: a large text in small parts, a number that
   goes back and forth, and many small messages on several connections (NP-20). */
/* slow */
#include "net.h"
#include "base/rand.h"

#define TEXT_BYTES    ((size_t)1024 * 1024)
#define PART_BYTES    1024
#define ROUNDS        1000
#define ECHOES        TEST_SIZE(10000, 500)
#define MESSAGE_BYTES 512

static unsigned char text[TEXT_BYTES];
static unsigned char heard[TEXT_BYTES];
static tuco_wg wg;

static void write_in_parts(void *f) {
    for (size_t i = 0; i < TEXT_BYTES; i += PART_BYTES) {
        ASSERT_EQ(tuco_fd_write(f, text + i, PART_BYTES), PART_BYTES);
    }
}

static int parts_main(void *arg) {
    net_kind *kinds[] = {net_tcp,  net_dialed, net_socketpair,
                         net_pipe, net_fifo,   net_terminal};
    struct rt_rand rand = {test_seed()};
    (void)arg;
    for (size_t i = 0; i < TEXT_BYTES; i++) {
        text[i] = (unsigned char)rt_rand_below(&rand, 256);
    }
    for (int i = 0; i < 6; i++) {
        struct net_pair p = net_open(kinds[i]);
        ASSERT_EQ(tuco_wg_go(&wg, write_in_parts, p.out), 0);
        memset(heard, 0, sizeof heard);
        net_hear_bytes(p.in, heard, sizeof heard);
        ASSERT_EQ(memcmp(text, heard, sizeof text), 0);
        tuco_wg_wait(&wg);
        net_close(&p);
    }
    return 0;
}

TEST(text_in_parts) {
    RUN(parts_main);
}

/* Each end reads a number and sends the next. */
static void count_up(void *f) {
    uint64_t number = 0;
    while (number < ROUNDS) {
        net_hear_bytes(f, &number, sizeof number);
        number++;
        ASSERT_EQ(tuco_fd_write(f, &number, sizeof number), sizeof number);
    }
}

static int count_main(void *arg) {
    net_kind *kinds[] = {net_tcp, net_dialed, net_socketpair};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct net_pair p = net_open(kinds[i]);
        uint64_t number = 0;
        ASSERT_EQ(tuco_wg_go(&wg, count_up, p.in), 0);
        for (uint64_t next = 1; number <= ROUNDS; next += 2) {
            ASSERT_EQ(tuco_fd_write(p.out, &number, sizeof number), sizeof number);
            net_hear_bytes(p.out, &number, sizeof number);
            ASSERT_EQ(number, next);
            number++;
        }
        tuco_wg_wait(&wg);
        net_close(&p);
    }
    return 0;
}

TEST(number_to_and_fro) {
    RUN(count_main);
}

static void echo(void *f) {
    char bytes[MESSAGE_BYTES];
    for (int i = 0; i < ECHOES; i++) {
        net_hear_bytes(f, bytes, sizeof bytes);
        ASSERT_EQ(tuco_fd_write(f, bytes, sizeof bytes), sizeof bytes);
    }
}

static void call(void *f) {
    unsigned char bytes[MESSAGE_BYTES];
    for (size_t i = 0; i < ECHOES; i++) {
        net_number(bytes, sizeof bytes, i);
        ASSERT_EQ(tuco_fd_write(f, bytes, sizeof bytes), sizeof bytes);
        memset(bytes, 0, sizeof bytes);
        net_hear_bytes(f, bytes, sizeof bytes);
        net_expect_numbered(bytes, sizeof bytes, i);
    }
}

static int echo_main(void *arg) {
    struct net_pair pairs[2] = {net_open(net_tcp), net_open(net_dialed)};
    (void)arg;
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(tuco_wg_go(&wg, echo, pairs[i].in), 0);
        ASSERT_EQ(tuco_wg_go(&wg, call, pairs[i].out), 0);
    }
    tuco_wg_wait(&wg);
    net_close(&pairs[0]);
    net_close(&pairs[1]);
    return 0;
}

TEST(echoes) {
    RUN(echo_main);
}
