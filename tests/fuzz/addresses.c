/* SPDX-License-Identifier: MIT */
/* Proves: for any text, the parser of addresses stays inside the text and agrees with the
   C library about numbers and with patterns about the rest; a printed address is parsed
   back to the same.

   Inputs are valid texts with a few random changes, drawn from the seed. Each test tries
   at least INPUTS_MIN of them, and continues for --seconds. */
#include "test.h"
#include "base/rand.h"
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS_MIN   TEST_SIZE(50000, 10000)
#define INPUT_BYTES  400
#define CHANGES_MAX  4
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static struct rt_rand rand_state;
static char input[INPUT_BYTES + 1];

static uint32_t below(size_t n) {
    return rt_rand_below(&rand_state, (uint32_t)n);
}

/* ---- Making inputs ---- */

static const char *const good[] = {
    "127.0.0.1:80",
    "255.255.255.255:65535",
    "[::1]:0",
    "[fe80::1%1]:8080",
    "[1:2:3:4:5:6:7:8]:http",
    "[0001:0:0:0ABC::1.2.3.4]:1",
    "[::ffff:10.0.0.1]:65536",
    ":http",
    "localhost:80",
    "a.b-c.d_e.:service-name",
    "a.very.long.name.with.0x10.and.127:99999",
};

static const char *const pieces[] = {
    ":", "::", ".", "..",  "[",   "]",       "%",    "%1", "-", "_",
    "0", "00", "1", "255", "256", "f",       "ffff", "0x", " ", "+",
    "a", "g",  "z", ":80", "]:",  "1.2.3.4", "\x80", "/",
};

static void change(void) {
    char copy[INPUT_BYTES + 1];
    size_t length = strlen(input);
    size_t at = below(length + 1);
    size_t cut = below(3) == 0 ? below(length - at + 1) : 0;
    const char *piece = below(4) == 0 ? "" : pieces[below(COUNT(pieces))];
    int written =
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)at, input, piece, input + at + cut);
    if (written > 0 && (size_t)written < sizeof copy) {
        memcpy(input, copy, (size_t)written + 1);
    }
}

static void make_input(void) {
    strcpy(input, good[below(COUNT(good))]);
    for (uint32_t changes = below(CHANGES_MAX + 1); changes > 0; changes--) {
        change();
    }
}

/* ---- Another way to read them ---- */

static bool matches(const char *pattern, const char *text, regmatch_t parts[3]) {
    static struct {
        const char *pattern;
        regex_t regex;
    } known[8];
    int i = 0;
    while (known[i].pattern != NULL && known[i].pattern != pattern) {
        i++;
    }
    if (known[i].pattern == NULL) {
        ASSERT_EQ(regcomp(&known[i].regex, pattern, REG_EXTENDED), 0);
        known[i].pattern = pattern;
    }
    return regexec(&known[i].regex, text, 3, parts, 0) == 0;
}

static const char plain_pattern[] = "^([^:[][^:]*|):([^:]+)$";
static const char bracket_pattern[] = "^\\[([^]]*)\\]:(.+)$";
static const char number_pattern[] = "^0*[0-9]{1,5}$";
static const char service_pattern[] = "^[A-Za-z][A-Za-z0-9_-]{0,30}$";
static const char name_pattern[] =
    "^(([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)(\\.|$))+$";
static const char number_end_pattern[] = "(^|\\.)([0-9]+|0[xX][0-9a-fA-F]*)\\.?$";
static const char zone_pattern[] = "^([^%]*)%0*([1-9][0-9]*)$";

static int expected_port(const char *text) {
    regmatch_t parts[3];
    if (matches(number_pattern, text, parts)) {
        return atoi(text) <= 65535 ? RT_PART_LITERAL : -EINVAL;
    }
    return matches(service_pattern, text, parts) ? RT_PART_NAME : -EINVAL;
}

static int expected_ipv6(const char *text, struct os_address *address) {
    char ip[INPUT_BYTES + 1];
    regmatch_t parts[3];
    bool has_zone = matches(zone_pattern, text, parts);
    strcpy(ip, text);
    if (has_zone) {
        unsigned long long zone = strtoull(text + parts[2].rm_so, NULL, 10);
        if (zone > UINT32_MAX || strlen(text + parts[1].rm_eo + 1) > 15) {
            return -EINVAL;
        }
        address->zone = (uint32_t)zone;
        ip[parts[1].rm_eo] = '\0';
    }
    return inet_pton(AF_INET6, ip, address->ip) == 1 ? RT_PART_LITERAL : -EINVAL;
}

static int expected_host(const char *text, bool in_brackets, struct os_address *address) {
    regmatch_t parts[3];
    if (in_brackets) {
        return expected_ipv6(text, address);
    }
    if (inet_pton(AF_INET, text, address->ip) == 1) {
        return RT_PART_LITERAL;
    }
    size_t length = strlen(text);
    size_t max = length > 0 && text[length - 1] == '.' ? 254 : 253;
    return length <= max && matches(name_pattern, text, parts) &&
                   !matches(number_end_pattern, text, parts)
               ? RT_PART_NAME
               : -EINVAL;
}

/* ---- Whole addresses ---- */

static void check_parts(const struct rt_hostport *found, char *host, const char *port) {
    struct os_address address;
    struct os_address expected = {.zone = 0};
    uint16_t number;
    ASSERT_EQ(rt_port_parse(found, &number), expected_port(port));
    if (expected_port(port) == RT_PART_LITERAL) {
        ASSERT_EQ(number, atoi(port));
    }
    if (strpbrk(host, "%") != NULL && expected_host(host, true, &expected) < 0) {
        return; /* perhaps the name of an interface */
    }
    if (*host != '\0') {
        int kind = expected_host(host, found->in_brackets, &expected);
        ASSERT_EQ(rt_host_parse(found, &address), kind);
        if (kind == RT_PART_LITERAL) {
            ASSERT_EQ(memcmp(address.ip, expected.ip, sizeof address.ip), 0);
            ASSERT_EQ(address.zone, expected.zone);
        }
    }
}

static void try_address(void) {
    regmatch_t parts[3];
    struct rt_hostport found;
    make_input();
    char *exact = strdup(input); /* so that AddressSanitizer knows its end */
    bool good_form =
        matches(input[0] == '[' ? bracket_pattern : plain_pattern, input, parts);
    ASSERT_EQ(rt_hostport_split(exact, &found), good_form ? 0 : -EINVAL);
    if (good_form) {
        ASSERT_EQ(found.host_bytes, parts[1].rm_eo - parts[1].rm_so);
        ASSERT_EQ(found.port_bytes, parts[2].rm_eo - parts[2].rm_so);
        input[parts[1].rm_eo] = '\0';
        check_parts(&found, input + parts[1].rm_so, input + parts[2].rm_so);
    }
    free(exact);
}

/* ---- There and back ---- */

static void try_printed(void) {
    char text[RT_ADDRESS_TEXT_BYTES];
    struct rt_hostport parts;
    struct os_address address = {.family =
                                     below(4) == 0 ? OS_FAMILY_IPV4 : OS_FAMILY_IPV6};
    struct os_address parsed;
    bool is_v6 = address.family == OS_FAMILY_IPV6;
    address.port = (uint16_t)below(65536);
    address.zone = is_v6 && below(2) == 0 ? UINT32_MAX - below(1000) : 0;
    uint32_t density = 1 + below(4);
    for (int i = 0; i < (is_v6 ? 16 : 4); i++) {
        address.ip[i] = below(density) == 0 ? (uint8_t)below(256) : 0;
    }
    ASSERT_EQ(rt_address_print(&address, text), strlen(text));
    ASSERT_EQ(rt_hostport_split(text, &parts), 0);
    ASSERT_EQ(rt_host_parse(&parts, &parsed), RT_PART_LITERAL);
    ASSERT_EQ(rt_port_parse(&parts, &parsed.port), RT_PART_LITERAL);
    ASSERT_EQ(memcmp(&parsed, &address, sizeof address), 0);
}

static void run(void (*try_one)(void)) {
    rand_state.state = test_seed();
    tuco_time end = tuco_deadline(test_seconds() * TUCO_SECOND);
    long tried = 0;
    while (tried < INPUTS_MIN || tuco_now() < end) {
        try_one();
        tried++;
    }
    printf("%ld inputs\n", tried);
    fflush(stdout);
}

TEST(any_text) {
    run(try_address);
}

TEST(there_and_back) {
    run(try_printed);
}
