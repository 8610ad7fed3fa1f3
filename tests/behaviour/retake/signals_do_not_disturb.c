/* SPDX-License-Identifier: MIT */
/* Proves: all bytes pass through a blocking pipe or TCP connection while many signals
   arrive, SIGURG among them, whose handlers do not restart calls. */
#include "pipes.h"
#include "storm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#define TOTAL ((size_t)TEST_SIZE(2048, 256) * 1024)

static tuco_wg wg;
static struct pipe_ends data;

/* The program itself repeats a call that one of its own signals has interrupted. */
static void write_all(void *arg) {
    (void)arg;
    unsigned char block[4096];
    for (size_t sent = 0; sent < TOTAL;) {
        for (size_t i = 0; i < sizeof(block); i++) {
            block[i] = (unsigned char)((sent + i) % 251);
        }
        ssize_t n = TEMP_FAILURE_RETRY(write(data.fd[1], block, sizeof(block)));
        ASSERT_GT(n, 0);
        sent += (size_t)n;
    }
    ASSERT_EQ(close(data.fd[1]), 0);
}

static ssize_t read_some(void *block, size_t size) {
    tuco_blocking_enter();
    ssize_t n = TEMP_FAILURE_RETRY(read(data.fd[0], block, size));
    tuco_blocking_exit();
    ASSERT_GE(n, 0);
    return n;
}

static int run_main(void *arg) {
    (void)arg;
    unsigned char block[4096];
    size_t got = 0;
    storm_take_in_runtime();
    ASSERT_EQ(tuco_wg_go(&wg, write_all, NULL), 0);
    for (ssize_t n = 1; n > 0; got += (size_t)n) {
        n = read_some(block, sizeof(block));
        for (ssize_t i = 0; i < n; i++) {
            ASSERT_EQ(block[i], (got + (size_t)i) % 251);
        }
    }
    tuco_wg_wait(&wg);
    ASSERT_GE(got, TOTAL);
    return 0;
}

static void pass_all(void) {
    storm_begin();
    RUN(run_main);
    storm_end();
    ASSERT_EQ(close(data.fd[0]), 0);
}

TEST(through_a_pipe) {
    pipe_open(&data);
    pass_all();
}

static void connect_to_self(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    data.fd[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(listener, (struct sockaddr *)&address, size), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    ASSERT_EQ(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    ASSERT_EQ(connect(data.fd[1], (struct sockaddr *)&address, size), 0);
    data.fd[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ASSERT_GE(data.fd[0], 0);
    ASSERT_EQ(close(listener), 0);
}

TEST(through_tcp) {
    connect_to_self();
    pass_all();
}
