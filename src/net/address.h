/* SPDX-License-Identifier: MIT */
/* Addresses as text: what a program writes, and what it gets to read. */
#ifndef RT_NET_ADDRESS_H
#define RT_NET_ADDRESS_H

/*
 *     network   tcp | tcp4 | tcp6 | udp | udp4 | udp6 | unix
 *     address   host:port, or of unix a path, or @ and an abstract name
 *     host      nothing | IPv4 | [IPv6] | [IPv6%zone] | name
 *     IPv4      four decimal numbers up to 255, without leading zeros
 *     zone      the number of a network interface, or its name
 *     name      labels of letters, digits, - and _, with dots between them
 *     port      a decimal number up to 65535, or the name of a service
 *
 * Strict, because what is not an address is a mistake that has to be seen at once: a host
 * that looks like a number is never looked up as a name, although the C library would
 * take "127.1", "010.0.0.1" and "2130706433" for addresses, and others would take them
 * for different ones.
 */
#include "base/compiler.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest name of a host that can be asked for, with the dot at its end, and of a
   service. */
#define RT_HOST_NAME_MAX    254
#define RT_SERVICE_NAME_MAX 31

/* Enough for any address and a zero. */
#define RT_ADDRESS_TEXT_BYTES 128

/* What kind of socket is meant. */
struct rt_network {
    enum os_fd_kind kind;
    unsigned families; /* enum os_families; 0: OS_FAMILY_UNIX */
};

/* The two parts of an address, as stretches of its text. */
struct rt_hostport {
    const char *host;
    size_t host_bytes; /* 0: it does not say */
    bool in_brackets;
    const char *port;
    size_t port_bytes;
};

/* What rt_host_parse() and rt_port_parse() find besides errors. */
enum rt_address_part { RT_PART_LITERAL, RT_PART_NAME };

/* -EINVAL: there is none of that name. */
int rt_network_parse(const char *text, struct rt_network *network) RT_NODISCARD;

/* -EINVAL: it is not of that form. */
int rt_hostport_split(const char *text, struct rt_hostport *parts) RT_NODISCARD;

/* Of a host that is not empty: RT_PART_LITERAL, then its family, ip and zone are in
   address; RT_PART_NAME; or -EINVAL. -EADDRNOTAVAIL: there is no such zone; or why that
   cannot be told. */
int rt_host_parse(const struct rt_hostport *parts, struct os_address *address)
    RT_NODISCARD;

/* RT_PART_LITERAL, then it is in *port; RT_PART_NAME; or -EINVAL. */
int rt_port_parse(const struct rt_hostport *parts, uint16_t *port) RT_NODISCARD;

/* -EINVAL: it is empty, or too long. */
int rt_unix_parse(const char *text, struct os_address *address) RT_NODISCARD;

/* Without a zone. The text need not be terminated. */
bool rt_ipv4_parse(const char *text, size_t bytes, uint8_t ip[4]) RT_NODISCARD;
bool rt_ipv6_parse(const char *text, size_t bytes, uint8_t ip[16]) RT_NODISCARD;

/* True for ::ffff:0.0.0.0/96: it stands for an address of IPv4. */
bool rt_ipv6_is_mapped(const uint8_t ip[16]);

/* Writes it, and a zero. Returns the length. */
size_t rt_address_print(const struct os_address *address,
                        char text[RT_ADDRESS_TEXT_BYTES]);

#endif
