/* SPDX-License-Identifier: MIT */
/* Proves: an address resolves to itself, an empty host to the address for its network and
   use, and a name to its addresses, IPv4 first, otherwise in order. */
#include "test.h"
#include "net/resolve.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

/* Replaces the C library's: every name has an IPv6 address, and then an IPv4 address. */
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
    static struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_addr = {0}};
    static struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6,
                                       .sin6_addr.s6_addr = {[15] = 2}};
    static struct addrinfo second = {.ai_family = AF_INET,
                                     .ai_addrlen = sizeof ipv4,
                                     .ai_addr = (struct sockaddr *)&ipv4};
    static struct addrinfo first = {.ai_family = AF_INET6,
                                    .ai_addrlen = sizeof ipv6,
                                    .ai_addr = (struct sockaddr *)&ipv6,
                                    .ai_next = &second};
    (void)host;
    (void)service;
    (void)hints;
    ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *found = &first;
    return 0;
}

void freeaddrinfo(struct addrinfo *found) {
    (void)found;
}

/* The addresses as text, with spaces between them. */
static const char *resolve(const char *network_name, const char *address,
                           enum rt_resolve_use use) {
    static char text[4 * RT_ADDRESS_TEXT_BYTES];
    struct rt_network network;
    struct rt_addresses found;
    ASSERT_EQ(rt_network_parse(network_name, &network), 0);
    int error = rt_resolve(&network, address, use, OS_NEVER, NULL, &found);
    if (error != 0) {
        return strerror(-error);
    }
    text[0] = '\0';
    for (int i = 0; i < found.count; i++) {
        char one[RT_ADDRESS_TEXT_BYTES];
        rt_address_print(&found.list[i], one);
        strcat(strcat(text, i > 0 ? " " : ""), one);
    }
    rt_addresses_free(&found);
    return text;
}

TEST(literals) {
    for (int use = RT_RESOLVE_TO_LISTEN; use <= RT_RESOLVE_TO_DIAL; use++) {
        ASSERT_STR(resolve("tcp", "10.0.0.1:80", use), "10.0.0.1:80");
        ASSERT_STR(resolve("udp4", "10.0.0.1:80", use), "10.0.0.1:80");
        ASSERT_STR(resolve("tcp6", "[1::2]:80", use), "[1::2]:80");
        ASSERT_STR(resolve("tcp", "[::ffff:1.2.3.4]:80", use), "[::ffff:102:304]:80");
        ASSERT_STR(resolve("tcp6", "[::ffff:1.2.3.4]:80", use), strerror(EINVAL));
        ASSERT_STR(resolve("udp4", "[::ffff:1.2.3.4]:80", use), strerror(EINVAL));
        ASSERT_STR(resolve("unix", "a:80", use), "a:80");
        ASSERT_STR(resolve("unix", "@a", use), "@a");
        ASSERT_STR(resolve("tcp6", "10.0.0.1:80", use), strerror(EINVAL));
        ASSERT_STR(resolve("udp4", "[1::2]:80", use), strerror(EINVAL));
        ASSERT_STR(resolve("tcp", "10.0.0.1", use), strerror(EINVAL));
    }
}

TEST(nothing) {
    ASSERT_STR(resolve("tcp", ":80", RT_RESOLVE_TO_LISTEN), "[::]:80 0.0.0.0:80");
    ASSERT_STR(resolve("udp4", ":80", RT_RESOLVE_TO_LISTEN), "0.0.0.0:80");
    ASSERT_STR(resolve("tcp6", ":80", RT_RESOLVE_TO_LISTEN), "[::]:80");
    ASSERT_STR(resolve("udp", ":80", RT_RESOLVE_TO_DIAL), "127.0.0.1:80 [::1]:80");
    ASSERT_STR(resolve("tcp4", ":80", RT_RESOLVE_TO_DIAL), "127.0.0.1:80");
    ASSERT_STR(resolve("udp6", ":80", RT_RESOLVE_TO_DIAL), "[::1]:80");
}

TEST(names) {
    ASSERT_STR(resolve("tcp", "some.name:80", RT_RESOLVE_TO_LISTEN),
               "127.0.0.1:80 [::2]:80");
    ASSERT_STR(resolve("tcp", "some.name:80", RT_RESOLVE_TO_DIAL),
               "[::2]:80 127.0.0.1:80");
    ASSERT_STR(resolve("udp4", "some.name:80", RT_RESOLVE_TO_DIAL), "127.0.0.1:80");
    ASSERT_STR(resolve("tcp6", "some.name:80", RT_RESOLVE_TO_LISTEN), "[::2]:80");
}

TEST(ipv4_first) {
    static const char families[] = "6464464";
    static const char sorted[] = "1346025"; // the index of each in families
    struct os_address list[7];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 7; i++) {
        list[i].family = families[i] == '4' ? OS_FAMILY_IPV4 : OS_FAMILY_IPV6;
        list[i].port = (uint16_t)i;
    }
    rt_addresses_ipv4_first(list, 7);
    for (int i = 0; i < 7; i++) {
        ASSERT_EQ(list[i].port, sorted[i] - '0');
        ASSERT_EQ(list[i].family == OS_FAMILY_IPV4, i < 4);
    }
}
