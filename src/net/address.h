/* SPDX-License-Identifier: MIT */
/* The text form of addresses: grammar, parsing and printing. */
#ifndef RT_NET_ADDRESS_H
#define RT_NET_ADDRESS_H

/*
 *     network   tcp | tcp4 | tcp6 | udp | udp4 | udp6 | unix
 *     address   host:port; for unix: a path, or @ and an abstract name
 *     host      empty | IPv4 | [IPv6] | [IPv6%zone] | name
 *     IPv4      four decimal numbers up to 255, without leading zeros
 *     zone      the number of a network interface, or its name
 *     name      labels of letters, digits, - and _, with dots between them
 *     port      a decimal number up to 65535, or the name of a service
 *
 * The parser is strict, so that mistakes are seen at once. A host that looks like a number
 * is never looked up as a name. The C library accepts "127.1", "010.0.0.1" and "2130706433"
 * as addresses, but other programs read them as different ones.
 */
#include "base/compiler.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest host name that can be looked up, with its final dot, and service name. */
#define RT_HOST_NAME_MAX    254
#define RT_SERVICE_NAME_MAX 31

/* Enough for any address and its terminating zero. */
#define RT_ADDRESS_TEXT_BYTES 128

/* The kind of socket that a network name selects. */
struct rt_network {
    enum os_fd_kind kind;
    unsigned families; /* enum os_families; 0: OS_FAMILY_UNIX */
};

/* The two parts of an address; both point into its text. */
struct rt_hostport {
    const char *host;
    size_t host_bytes; /* 0: empty */
    bool in_brackets;
    const char *port;
    size_t port_bytes;
};

/* The results of rt_host_parse() and rt_port_parse() besides errors. */
enum rt_address_part { RT_PART_LITERAL, RT_PART_NAME };

/* Returns -EINVAL if there is no network of that name. */
int rt_network_parse(const char *text, struct rt_network *network) RT_NODISCARD;

/* Returns -EINVAL if the text is not host:port. */
int rt_hostport_split(const char *text, struct rt_hostport *parts) RT_NODISCARD;

/* Parses a host that is not empty. Returns RT_PART_LITERAL and fills family, ip and zone
   of *address; RT_PART_NAME; -EINVAL; -EADDRNOTAVAIL if there is no such zone; or another
   error of looking up the zone. */
int rt_host_parse(const struct rt_hostport *parts, struct os_address *address)
    RT_NODISCARD;

/* Returns RT_PART_LITERAL and sets *port; RT_PART_NAME; or -EINVAL. */
int rt_port_parse(const struct rt_hostport *parts, uint16_t *port) RT_NODISCARD;

/* Returns -EINVAL if the name is empty or too long. */
int rt_unix_parse(const char *text, struct os_address *address) RT_NODISCARD;

/* Parse an address without a zone. The text need not be terminated. */
bool rt_ipv4_parse(const char *text, size_t bytes, uint8_t ip[4]) RT_NODISCARD;
bool rt_ipv6_parse(const char *text, size_t bytes, uint8_t ip[16]) RT_NODISCARD;

/* Whether ip is in ::ffff:0.0.0.0/96, an IPv4-mapped address. */
bool rt_ipv6_is_mapped(const uint8_t ip[16]);

/* Writes the address and a terminating zero. Returns the length. */
size_t rt_address_print(const struct os_address *address,
                        char text[RT_ADDRESS_TEXT_BYTES]);

#endif
