/* SPDX-License-Identifier: MIT */
/* Proves: in a storm of signals whose handlers do not restart calls no operation returns
   -EINTR, and all bytes pass: on connections, pipes and files, in goroutines and
   threads. */
#include "net.h"
#include "storm.h"

#include <sys/mman.h>

#define BYTES ((size_t)TEST_SIZE(512, 64) * 1024)

static tuco_wg wg;
static struct net_pair p;

static void write_all(void *arg) {
    unsigned char block[5000];
    (void)arg;
    for (size_t sent = 0; sent < BYTES;) {
        size_t size = sizeof block < BYTES - sent ? sizeof block : BYTES - sent;
        net_number(block, size, sent);
        ASSERT_EQ(tuco_fd_write(p.out, block, size), size);
        sent += size;
    }
}

static void read_all(void *arg) {
    static unsigned char heard[BYTES];
    (void)arg;
    net_hear_bytes(p.in, heard, BYTES);
    net_expect_numbered(heard, BYTES, 0);
}

static void through_file(void) {
    int fd = memfd_create("file", MFD_CLOEXEC);
    p.out = net_wrap(fd);
    p.in = tuco_fd_ref(p.out);
    write_all(NULL);
    ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
    read_all(NULL);
    ASSERT_EQ(tuco_fd_close(p.out), 0);
    tuco_fd_unref(p.in);
}

static void time_out(void) {
    for (int i = 0; i < 20; i++) {
        ASSERT_EQ(tuco_fd_set_deadline(p.in, tuco_deadline(TUCO_MILLISECOND / 2)), 0);
        ASSERT_EQ(tuco_fd_read(p.in, &(char){0}, 1), -ETIMEDOUT);
    }
    ASSERT_EQ(tuco_fd_set_deadline(p.in, TUCO_NEVER), 0);
}

static struct net_pair pairs[3];

static int run_main(void *arg) {
    (void)arg;
    storm_take_in_runtime();
    for (int i = 0; i < 3; i++) {
        struct test_thread writer;
        p = pairs[i];
        ASSERT_EQ(tuco_wg_go(&wg, write_all, NULL), 0);
        read_all(NULL);
        tuco_wg_wait(&wg);
        time_out();
        test_thread_start(&writer, write_all, NULL);
        read_all(NULL);
        test_thread_join(&writer);
        net_close(&p);
    }
    through_file();
    return 0;
}

/* The pairs are made before the storm, which interrupts the kernel's own calls. */
TEST(signals_do_not_leak) {
    pairs[0] = net_open(net_tcp);
    pairs[1] = net_open(net_pipe);
    pairs[2] = net_open(net_terminal);
    storm_begin();
    RUN(run_main);
    storm_end();
}
