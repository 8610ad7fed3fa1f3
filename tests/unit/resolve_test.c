/* SPDX-License-Identifier: MIT */
/* Proves: an address stands for one, or for what an empty host means, by network and use;
   of several those of IPv4 come first, in their order. */
#include "test.h"
#include "net/resolve.h"

#include <errno.h>
#include <string.h>

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

TEST(ipv4_first) {
    static const char families[] = "6464464";
    static const char sorted[] = "1346025"; // where in the above each is from
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
