/* SPDX-License-Identifier: MIT */
/* net.h: for tests of descriptors: pairs of every kind, and common operations on them. */
#ifndef TEST_NET_H
#define TEST_NET_H

#include "chans.h"
#include "timers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* Buffers of connections: small, so that little fills them; not smaller, because TCP over
   loopback stalls when less than a segment fits. */
#define NET_BUFFER_BYTES (128 * 1024)

/* More bytes than any of these pairs holds: a writer of so many has to wait. */
#define NET_TOO_MUCH ((size_t)4 * 1024 * 1024)

/* How long a test waits for an event that must not happen. A shorter pause proves less,
   but fails no test. */
#define NET_PAUSE (30 * TUCO_MILLISECOND)

/* Requires that the number is among the values that follow; prints it otherwise. */
#define ASSERT_AMONG(number, ...)                                                     \
    do {                                                                              \
        intmax_t number_ = (intmax_t)(number);                                        \
        const intmax_t list_[] = {__VA_ARGS__};                                       \
        bool found_ = false;                                                          \
        for (size_t i_ = 0; i_ < sizeof list_ / sizeof list_[0]; i_++) {              \
            found_ = found_ || list_[i_] == number_;                                  \
        }                                                                             \
        test_check_int(__FILE__, __LINE__, #number " is among " #__VA_ARGS__, found_, \
                       number_, list_[0]);                                            \
    } while (0)

/* ---- Plain descriptors, made by the kernel's own calls ---- */

/* Makes a pair: what is written to fd[1] is read from fd[0]. */
typedef void net_kind(int fd[2]);

static inline void net_keep_small(int fd) {
    int bytes = NET_BUFFER_BYTES;
    ASSERT_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    ASSERT_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
}

static inline void net_socketpair(int fd[2]) {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    net_keep_small(fd[0]);
    net_keep_small(fd[1]);
}

/* Keeps message boundaries and loses no message. */
static inline void net_messages(int fd[2]) {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd), 0);
    net_keep_small(fd[0]);
    net_keep_small(fd[1]);
}

static inline void net_pipe(int fd[2]) {
    ASSERT_EQ(pipe2(fd, O_CLOEXEC), 0);
}

static inline void net_fifo(int fd[2]) {
    char folder[] = "/tmp/tuco-fifo-XXXXXX";
    char path[sizeof folder + 2];
    ASSERT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/f", folder);
    ASSERT_EQ(mkfifo(path, 0600), 0);
    fd[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    fd[1] = open(path, O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(unlink(path), 0);
    ASSERT_EQ(rmdir(folder), 0);
    ASSERT_GE(fd[0], 0);
    ASSERT_GE(fd[1], 0);
}

static inline int net_bound_socket(int type, struct sockaddr_in *address) {
    socklen_t size = sizeof *address;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    ASSERT_GE(fd, 0);
    net_keep_small(fd);
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(fd, (struct sockaddr *)address, size), 0);
    ASSERT_EQ(getsockname(fd, (struct sockaddr *)address, &size), 0);
    return fd;
}

static inline void net_tcp(int fd[2]) {
    struct sockaddr_in address;
    int listener = net_bound_socket(SOCK_STREAM, &address);
    ASSERT_EQ(listen(listener, 1), 0);
    fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    net_keep_small(fd[0]);
    ASSERT_EQ(connect(fd[0], (struct sockaddr *)&address, sizeof address), 0);
    fd[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ASSERT_GE(fd[1], 0);
    ASSERT_EQ(close(listener), 0);
}

/* Connected to each other. */
static inline void net_udp(int fd[2]) {
    struct sockaddr_in addresses[2];
    for (int i = 0; i < 2; i++) {
        fd[i] = net_bound_socket(SOCK_DGRAM, &addresses[i]);
    }
    for (int i = 0; i < 2; i++) {
        struct sockaddr *other = (struct sockaddr *)&addresses[1 - i];
        ASSERT_EQ(connect(fd[i], other, sizeof addresses[0]), 0);
    }
}

/* A terminal that passes bytes on as they are, and the side that drives it. */
static inline void net_terminal(int fd[2]) {
    char path[64];
    struct termios settings;
    fd[1] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd[1] < 0) {
        SKIP("There are no pseudo terminals here.");
    }
    ASSERT_EQ(grantpt(fd[1]), 0);
    ASSERT_EQ(unlockpt(fd[1]), 0);
    ASSERT_EQ(ptsname_r(fd[1], path, sizeof path), 0);
    fd[0] = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(fd[0], 0);
    ASSERT_EQ(tcgetattr(fd[0], &settings), 0);
    cfmakeraw(&settings);
    ASSERT_EQ(tcsetattr(fd[0], TCSANOW, &settings), 0);
}

/* A TCP connection made by tuco_dial() and tuco_accept(): see net_open(). Only the
   library knows its descriptors, so it may assume more about them. Needs a runtime. The
   buffers have the default sizes of the kernel. */
static inline void net_dialed(int fd[2]) {
    (void)fd;
    ASSERT(!"it is a pair of handles from the beginning");
}

/* ---- Handles ---- */

struct net_pair {
    tuco_fd *in;  /* fd[0] */
    tuco_fd *out; /* fd[1] */
};

static inline tuco_fd *net_wrap(int fd) {
    tuco_fd *f;
    ASSERT_EQ(tuco_fd_wrap(fd, &f), 0);
    return f;
}

static inline struct net_pair net_dial(void) {
    struct net_pair p;
    tuco_fd *listener;
    char address[64];
    ASSERT_EQ(tuco_listen("tcp4", "127.0.0.1:0", &listener), 0);
    ASSERT_EQ(tuco_local_address(listener, address, sizeof address), 0);
    ASSERT_EQ(tuco_dial("tcp4", address, TUCO_NEVER, &p.in), 0);
    ASSERT_EQ(tuco_accept(listener, &p.out), 0);
    ASSERT_EQ(tuco_fd_close(listener), 0);
    return p;
}

static inline struct net_pair net_open(net_kind *kind) {
    int fd[2];
    if (kind == net_dialed) {
        return net_dial();
    }
    kind(fd);
    return (struct net_pair){.in = net_wrap(fd[0]), .out = net_wrap(fd[1])};
}

static inline void net_close(struct net_pair *p) {
    ASSERT_EQ(tuco_fd_close(p->in), 0);
    ASSERT_EQ(tuco_fd_close(p->out), 0);
}

static inline void net_say(tuco_fd *f, const char *text) {
    ssize_t length = (ssize_t)strlen(text);
    ASSERT_EQ(tuco_fd_write(f, text, strlen(text)), length);
}

/* Reads all size bytes: a stream may return them in parts. */
static inline void net_hear_bytes(tuco_fd *f, void *bytes, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t n = tuco_fd_read(f, (char *)bytes + got, size - got);
        ASSERT_GT(n, 0);
        got += (size_t)n;
    }
}

static inline void net_hear(tuco_fd *f, const char *text) {
    char heard[64] = {0};
    ASSERT_LT(strlen(text), sizeof heard);
    net_hear_bytes(f, heard, strlen(text));
    ASSERT_STR(heard, text);
}

/* Requires that bytes written to out are read from in. */
static inline void net_expect_working(struct net_pair *p) {
    net_say(p->out, "Hello, world!");
    net_hear(p->in, "Hello, world!");
}

/* Writes until there is no room left. TCP may have room again later. Out of line because
   of errno, whose address a compiler may keep. */
__attribute__((noinline, unused)) static void net_fill(tuco_fd *f) {
    static const char block[4096];
    int fd = tuco_fd_raw(f);
    for (size_t size = sizeof block; size > 0; size /= 2) {
        while (write(fd, block, size) > 0) {
        }
        ASSERT_EQ(errno, EAGAIN);
    }
}

/* Whether the number stands for an open file. */
static inline bool net_is_open(int fd) {
    return fcntl(fd, F_GETFD) >= 0;
}

/* Fills bytes with a pattern that shows the position of each, counted from first. */
static inline void net_number(unsigned char *bytes, size_t size, size_t first) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)((first + i) % 251);
    }
}

static inline void net_expect_numbered(const unsigned char *bytes, size_t size,
                                       size_t first) {
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != (first + i) % 251) {
            ASSERT_EQ(bytes[i], (first + i) % 251);
        }
    }
}

#endif
