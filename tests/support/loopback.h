/* SPDX-License-Identifier: MIT */
/* loopback.h: listeners and connections in tests, made by the library itself. */
#ifndef TEST_LOOPBACK_H
#define TEST_LOOPBACK_H

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LO_TEXT 128

__attribute__((constructor)) static void lo_own_network(void) {
    test_own_network();
}

static inline tuco_fd *lo_listen(const char *network, const char *address) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_listen(network, address, &f), 0);
    return f;
}

static inline tuco_fd *lo_dial(const char *network, const char *address) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_dial(network, address, TUCO_NEVER, &f), 0);
    return f;
}

static inline tuco_fd *lo_accept(tuco_fd *listener) {
    tuco_fd *f = NULL;
    ASSERT_EQ(tuco_accept(listener, &f), 0);
    return f;
}

/* The address of f's own end, in text, which has room for LO_TEXT bytes. */
static inline const char *lo_local(tuco_fd *f, char *text) {
    ASSERT_EQ(tuco_local_address(f, text, LO_TEXT), 0);
    return text;
}

static inline const char *lo_remote(tuco_fd *f, char *text) {
    ASSERT_EQ(tuco_remote_address(f, text, LO_TEXT), 0);
    return text;
}

/* The host with the port at which f listens. */
static inline const char *lo_at(const char *host, tuco_fd *f, char *text) {
    char local[LO_TEXT];
    snprintf(text, LO_TEXT, "%s%s", host, strrchr(lo_local(f, local), ':'));
    return text;
}

/* Makes a connection to the listener and stores both ends. The listener stays open. */
static inline void lo_connect(const char *network, tuco_fd *listener, tuco_fd *ends[2]) {
    char text[LO_TEXT];
    ends[0] = lo_dial(network, lo_local(listener, text));
    ends[1] = lo_accept(listener);
}

/* Requires that bytes written at one end are read at the other. */
static inline void lo_expect_talk(tuco_fd *from, tuco_fd *to) {
    char heard[6] = {0};
    ASSERT_EQ(tuco_fd_write(from, "hello", 5), 5);
    ASSERT_EQ(tuco_fd_read(to, heard, 5), 5);
    ASSERT_STR(heard, "hello");
}

/* A path at which no file exists, shorter than LO_TEXT / 2 bytes. */
static inline char *lo_path(char *text) {
    const char *folder = getenv("TMPDIR");
    bool usable = folder != NULL && strlen(folder) < LO_TEXT / 4;
    snprintf(text, LO_TEXT, "%s/tuco-test-XXXXXX", usable ? folder : "/tmp");
    ASSERT(mkdtemp(text) != NULL);
    ASSERT_EQ(rmdir(text), 0);
    return text;
}

static inline void lo_close(tuco_fd *f) {
    ASSERT_EQ(tuco_fd_close(f), 0);
}

static inline void lo_skip_without_ipv6(void) {
    tuco_fd *f;
    int rc = tuco_listen("tcp6", "[::1]:0", &f);
    if (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL) {
        SKIP("This machine has no IPv6 loopback address.");
    }
    ASSERT_EQ(rc, 0);
    lo_close(f);
}

#endif
