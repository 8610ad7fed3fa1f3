/* SPDX-License-Identifier: MIT */
/* Proves: addresses are parsed by the grammar in address.h and no other, and printed in
   one form only. */
#include "test.h"
#include "net/address.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Networks ---- */

TEST(networks) {
    static const char *const bad[] = {"",     "TCP", "tcp ",    " tcp",
                                      "tcp5", "ip",  "unixgram"};
    struct rt_network n;
    ASSERT_EQ(rt_network_parse("tcp", &n), 0);
    ASSERT(n.kind == OS_FD_TCP && n.families == OS_FAMILIES_BOTH);
    ASSERT_EQ(rt_network_parse("tcp6", &n), 0);
    ASSERT(n.kind == OS_FD_TCP && n.families == OS_FAMILIES_IPV6);
    ASSERT_EQ(rt_network_parse("udp4", &n), 0);
    ASSERT(n.kind == OS_FD_MESSAGES && n.families == OS_FAMILIES_IPV4);
    ASSERT_EQ(rt_network_parse("unix", &n), 0);
    ASSERT(n.kind == OS_FD_STREAM && n.families == 0);
    for (size_t i = 0; i < COUNT(bad); i++) {
        ASSERT_EQ(rt_network_parse(bad[i], &n), -EINVAL);
    }
}

/* ---- Host and port ---- */

static void expect_parts(const char *text, const char *host, const char *port) {
    struct rt_hostport p;
    ASSERT_EQ(rt_hostport_split(text, &p), 0);
    ASSERT_EQ(p.host_bytes, strlen(host));
    ASSERT_EQ(memcmp(p.host, host, p.host_bytes), 0);
    ASSERT_EQ(p.port_bytes, strlen(port));
    ASSERT_STR(p.port, port);
    ASSERT_EQ(p.in_brackets, text[0] == '[');
}

TEST(parts) {
    static const char *const bad[] = {
        "",        "host",   "80",     ":",       "host:",    "[::1]", "[::1]:",
        "[::1]80", "::1:80", "a:b:80", "[::1:80", "[",        "[]",    "[]:",
        "::",      "1::",    "a::80",  "[::1]]:", "host:80:", ":80:",  "::1]:80",
    };
    struct rt_hostport p;
    expect_parts(":80", "", "80");
    expect_parts("host:80", "host", "80");
    expect_parts("127.0.0.1:http", "127.0.0.1", "http");
    expect_parts("[::1]:80", "::1", "80");
    expect_parts("[fe80::1%lo]:80", "fe80::1%lo", "80");
    for (size_t i = 0; i < COUNT(bad); i++) {
        ASSERT_EQ(rt_hostport_split(bad[i], &p), -EINVAL);
    }
}

static int parse_port(const char *text, uint16_t *port) {
    struct rt_hostport p = {.port = text, .port_bytes = strlen(text)};
    return rt_port_parse(&p, port);
}

TEST(ports) {
    static const char *const bad[] = {
        "65536", "99999999999999999999",
        "+80",   "-1",
        " 80",   "80 ",
        "0x50",  "80x",
        "8 0",   "http ",
        "-a",    "ht tp",
        "http/", "1e3",
        "",      "a-service-name-of-more-than-31-b",
    };
    uint16_t port = 1;
    ASSERT_EQ(parse_port("0", &port), RT_PART_LITERAL);
    ASSERT_EQ(port, 0);
    ASSERT_EQ(parse_port("65535", &port), RT_PART_LITERAL);
    ASSERT_EQ(port, 65535);
    ASSERT_EQ(parse_port("0080", &port), RT_PART_LITERAL);
    ASSERT_EQ(port, 80);
    ASSERT_EQ(parse_port("http", &port), RT_PART_NAME);
    ASSERT_EQ(parse_port("a-service_name-of-31-letters-ab", &port), RT_PART_NAME);
    for (size_t i = 0; i < COUNT(bad); i++) {
        ASSERT_EQ(parse_port(bad[i], &port), -EINVAL);
    }
    ASSERT_EQ(port, 80);
}

/* ---- Hosts ---- */

/* Brackets are part of the text here. */
static int parse_host(const char *text, struct os_address *address) {
    bool in_brackets = text[0] == '[';
    struct rt_hostport p = {
        .host = text + in_brackets,
        .host_bytes = strlen(text) - 2 * in_brackets,
        .in_brackets = in_brackets,
    };
    return rt_host_parse(&p, address);
}

TEST(hosts_as_numbers) {
    static const struct {
        const char *text;
        enum os_family family;
        uint8_t ip[16];
    } good[] = {
        {"0.0.0.0", OS_FAMILY_IPV4, {0}},
        {"127.0.0.1", OS_FAMILY_IPV4, {127, 0, 0, 1}},
        {"255.255.255.255", OS_FAMILY_IPV4, {255, 255, 255, 255}},
        {"[::]", OS_FAMILY_IPV6, {0}},
        {"[::1]", OS_FAMILY_IPV6, {[15] = 1}},
        {"[1::]", OS_FAMILY_IPV6, {0, 1}},
        {"[aB:0:Cd::]", OS_FAMILY_IPV6, {0, 0xab, 0, 0, 0, 0xcd}},
        {"[1::2:3]", OS_FAMILY_IPV6, {0, 1, [13] = 2, 0, 3}},
        {"[0:1:2:3:4:5:6:7]",
         OS_FAMILY_IPV6,
         {0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7}},
        {"[::2:3:4:5:6:7:8]",
         OS_FAMILY_IPV6,
         {0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8}},
        {"[::1.2.3.4]", OS_FAMILY_IPV6, {[12] = 1, 2, 3, 4}},
        {"[1:2:3:4:5:6:7.8.9.10]",
         OS_FAMILY_IPV6,
         {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 7, 8, 9, 10}},
    };
    struct os_address a;
    for (size_t i = 0; i < COUNT(good); i++) {
        ASSERT_EQ(parse_host(good[i].text, &a), RT_PART_LITERAL);
        ASSERT_EQ(a.family, good[i].family);
        ASSERT_EQ(memcmp(a.ip, good[i].ip, sizeof a.ip), 0);
        ASSERT_EQ(a.zone, 0);
    }
}

TEST(zones) {
    struct os_address a;
    ASSERT_EQ(parse_host("[fe80::1%4294967295]", &a), RT_PART_LITERAL);
    ASSERT_EQ(a.zone, UINT32_MAX);
    ASSERT_EQ(parse_host("[fe80::1%no-such-thing]", &a), -EADDRNOTAVAIL);
    ASSERT_EQ(parse_host("[fe80::1%4294967296]", &a), -EADDRNOTAVAIL); // a strange name
    if (if_nametoindex("lo") != 0) {
        ASSERT_EQ(parse_host("[fe80::1%lo]", &a), RT_PART_LITERAL);
        ASSERT_EQ(a.zone, if_nametoindex("lo"));
    }
}

TEST(hosts_that_are_none) {
    static const char *const bad[] = {
        /* numbers */
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "127.0.0.256",
        "127.0.0.1.",
        "1.2.3",
        "1.2.3.4.5",
        "010.0.0.1",
        "1.2.3.04",
        "1..2.3",
        ".1.2.3",
        "127.0.0.0x1",
        "a.1",
        "a.0x",
        /* addresses of IPv6 without brackets, and others with them */
        "fe80::1%lo",
        "[]",
        "[127.0.0.1]",
        "[host]",
        "[:::]",
        "[:1]",
        "[1:]",
        "[1:2]",
        "[1::2::3]",
        "[1:2:3:4:5:6:7:8:9]",
        "[1:2:3:4:5:6:7::8]",
        "[12345::]",
        "[g::]",
        "[1.2.3.4::]",
        "[::1.2.3]",
        "[::01.2.3.4]",
        "[1:2:3:4:5:6:7:1.2.3.4]",
        "[ ::1]",
        /* zones */
        "[fe80::1%]",
        "[fe80::1%0]",
        "[%lo]",
        "[fe80::1%a-name-of-16-byt]",
        /* names */
        "-a",
        "a-",
        "a..b",
        ".a",
        ".",
        "a b",
        "a/b",
        "a\tb",
        "h\xc3\xb6st",
        "a%lo",
        "a.-b",
    };
    struct os_address a;
    for (size_t i = 0; i < COUNT(bad); i++) {
        if (parse_host(bad[i], &a) != -EINVAL) {
            test_fail(__FILE__, __LINE__, "%s was taken for a host", bad[i]);
        }
    }
}

/* Makes a name of that length, in labels of at most 63 bytes. */
static void make_name(char *name, size_t bytes) {
    memset(name, 'a', bytes);
    name[bytes] = '\0';
    for (size_t i = 63; i + 1 < bytes; i += 64) {
        name[i] = '.';
    }
}

TEST(names) {
    static const char *const good[] = {"localhost", "a",     "a.b.", "3com",
                                       "a_b",       "1a.2b", "xn--a"};
    struct os_address a;
    char name[300];
    for (size_t i = 0; i < COUNT(good); i++) {
        ASSERT_EQ(parse_host(good[i], &a), RT_PART_NAME);
    }
    make_name(name, 253);
    ASSERT_EQ(parse_host(name, &a), RT_PART_NAME);
    make_name(name, 254);
    ASSERT_EQ(parse_host(name, &a), -EINVAL);
    name[253] = '.';
    ASSERT_EQ(parse_host(name, &a), RT_PART_NAME);
    memset(name, 'a', 64);
    name[64] = '\0';
    ASSERT_EQ(parse_host(name, &a), -EINVAL);
    name[63] = '\0';
    ASSERT_EQ(parse_host(name, &a), RT_PART_NAME);
}

/* ---- Names of sockets ---- */

TEST(names_of_sockets) {
    struct os_address a;
    char name[OS_UNIX_NAME_MAX + 2];
    memset(name, 'a', sizeof name);
    name[OS_UNIX_NAME_MAX] = '\0';
    ASSERT_EQ(rt_unix_parse(name, &a), -EINVAL);
    name[0] = '@';
    ASSERT_EQ(rt_unix_parse(name, &a), 0);
    ASSERT_EQ(a.name_bytes, OS_UNIX_NAME_MAX);
    ASSERT(a.name[0] == '\0' && a.name[1] == 'a');
    name[OS_UNIX_NAME_MAX] = 'a';
    name[OS_UNIX_NAME_MAX + 1] = '\0';
    ASSERT_EQ(rt_unix_parse(name, &a), -EINVAL);
    name[0] = 'a';
    name[OS_UNIX_NAME_MAX - 1] = '\0';
    ASSERT_EQ(rt_unix_parse(name, &a), 0);
    ASSERT_EQ(a.name_bytes, OS_UNIX_NAME_MAX - 1);
    ASSERT_EQ(rt_unix_parse("", &a), -EINVAL);
    ASSERT_EQ(rt_unix_parse("@", &a), 0);
    ASSERT_EQ(a.name_bytes, 0);
}

/* ---- Printing ---- */

static void expect_text(struct os_address address, const char *text) {
    char printed[RT_ADDRESS_TEXT_BYTES];
    ASSERT_EQ(rt_address_print(&address, printed), strlen(text));
    ASSERT_STR(printed, text);
}

TEST(addresses_as_text) {
    static const char *const ipv6[][2] = {
        {"[::]", "[::]:80"},
        {"[::1]", "[::1]:80"},
        {"[1::]", "[1::]:80"},
        {"[0:1:0:0:2:0:0:3]", "[0:1::2:0:0:3]:80"},
        {"[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]:80"},
        {"[1:0:2:0:3:0:4:0]", "[1:0:2:0:3:0:4:0]:80"},
        {"[ABCD:0EF0:10::]", "[abcd:ef0:10::]:80"},
        {"[::1.2.3.4]", "[::102:304]:80"},
        {"[ff02::1%4000000000]", "[ff02::1%4000000000]:80"},
    };
    for (size_t i = 0; i < COUNT(ipv6); i++) {
        struct os_address a;
        ASSERT_EQ(parse_host(ipv6[i][0], &a), RT_PART_LITERAL);
        a.port = 80;
        expect_text(a, ipv6[i][1]);
    }
    expect_text((struct os_address){.family = OS_FAMILY_IPV4, .ip = {127, 0, 10, 255}},
                "127.0.10.255:0");
    expect_text((struct os_address){.family = OS_FAMILY_IPV4, .port = 65535},
                "0.0.0.0:65535");
    expect_text((struct os_address){.family = OS_FAMILY_UNIX}, "");
    expect_text(
        (struct os_address){.family = OS_FAMILY_UNIX, .name = "/tmp/s", .name_bytes = 6},
        "/tmp/s");
    expect_text(
        (struct os_address){.family = OS_FAMILY_UNIX, .name = "\0a\0b", .name_bytes = 4},
        "@a@b");
}
