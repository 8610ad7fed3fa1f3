/* SPDX-License-Identifier: MIT */
/* names.h: replaces the C library's lookups, for tests that must not depend on the
   machine's configuration: each name resolves to 127.0.0.1, or its IPv6 form. */
#ifndef TEST_NAMES_H
#define TEST_NAMES_H

#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>

/* A test may define it before including this header: called with each host that is looked
   up. */
#ifndef TEST_NAMES_ASKED
#define TEST_NAMES_ASKED(host) ((void)(host))
#endif

/* 127.0.0.1 in network byte order, as a constant: several threads look up at once. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOOPBACK 0x0100007fu
#else
#define LOOPBACK 0x7f000001u
#endif

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
    static struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_addr.s_addr = LOOPBACK};
    static struct sockaddr_in6 ipv6 = {
        .sin6_family = AF_INET6, .sin6_addr.s6_addr = {[10] = 0xff, 0xff, 127, 0, 0, 1}};
    static struct addrinfo ipv4_info = {.ai_family = AF_INET,
                                        .ai_addrlen = sizeof ipv4,
                                        .ai_addr = (struct sockaddr *)&ipv4};
    static struct addrinfo ipv6_info = {.ai_family = AF_INET6,
                                        .ai_addrlen = sizeof ipv6,
                                        .ai_addr = (struct sockaddr *)&ipv6};
    (void)service;
    TEST_NAMES_ASKED(host);
    *found = hints->ai_family == AF_INET6 ? &ipv6_info : &ipv4_info;
    return 0;
}

void freeaddrinfo(struct addrinfo *found) {
    (void)found;
}

#endif
