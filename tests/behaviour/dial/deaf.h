/* SPDX-License-Identifier: MIT */
/* deaf.h: an address of this machine that does not answer a connect. */
#ifndef TEST_DEAF_H
#define TEST_DEAF_H

#include "test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct deaf {
    int listener;
    int first; /* the connection that fills the backlog */
};

/* Makes a listener that has room for one connection and never accepts: the kernel does
   not answer the next connect. Writes its address to text. */
static inline struct deaf deaf_make(char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t bytes = sizeof address;
    struct deaf d;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    d.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    d.first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(d.listener, (struct sockaddr *)&address, bytes), 0);
    ASSERT_EQ(listen(d.listener, 0), 0);
    ASSERT_EQ(getsockname(d.listener, (struct sockaddr *)&address, &bytes), 0);
    ASSERT_EQ(connect(d.first, (struct sockaddr *)&address, bytes), 0);
    sprintf(text, "127.0.0.1:%d", ntohs(address.sin_port));
    return d;
}

static inline void deaf_end(struct deaf *d) {
    ASSERT_EQ(close(d->first), 0);
    ASSERT_EQ(close(d->listener), 0);
}

/* The same at ::1. */
static inline struct deaf deaf_make_ipv6(char *text) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_addr = in6addr_loopback};
    socklen_t bytes = sizeof address;
    struct deaf d;
    d.listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    d.first = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(d.listener, (struct sockaddr *)&address, bytes), 0);
    ASSERT_EQ(listen(d.listener, 0), 0);
    ASSERT_EQ(getsockname(d.listener, (struct sockaddr *)&address, &bytes), 0);
    ASSERT_EQ(connect(d.first, (struct sockaddr *)&address, bytes), 0);
    sprintf(text, "[::1]:%d", ntohs(address.sin6_port));
    return d;
}

#endif
