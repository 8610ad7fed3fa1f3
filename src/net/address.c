/* SPDX-License-Identifier: MIT */
/* Parsing and printing addresses. The grammar is in address.h. */
#include "net/address.h"

#include <errno.h>
#include <string.h>

#define PORT_MAX  65535
#define LABEL_MAX 63

#define IPV4_BYTES 4
#define IPV6_BYTES 16

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns -1 if c is not a hexadecimal digit. */
static int hex_value(char c) {
    if (is_digit(c)) {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Parses the whole text as a decimal number. Returns -1 if it is none, or above max. */
static int64_t decimal(const char *text, size_t bytes, uint32_t max) {
    int64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (!is_digit(text[i])) {
            return -1;
        }
        value = value * 10 + (text[i] - '0');
        if (value > max) {
            return -1;
        }
    }
    return bytes > 0 ? value : -1;
}

/* Networks */

int rt_network_parse(const char *text, struct rt_network *network) {
    static const struct {
        const char *name;
        struct rt_network network;
    } known[] = {
        {"tcp", {OS_FD_TCP, OS_FAMILIES_BOTH}},
        {"tcp4", {OS_FD_TCP, OS_FAMILIES_IPV4}},
        {"tcp6", {OS_FD_TCP, OS_FAMILIES_IPV6}},
        {"udp", {OS_FD_MESSAGES, OS_FAMILIES_BOTH}},
        {"udp4", {OS_FD_MESSAGES, OS_FAMILIES_IPV4}},
        {"udp6", {OS_FD_MESSAGES, OS_FAMILIES_IPV6}},
        {"unix", {OS_FD_STREAM, 0}},
    };
    for (size_t i = 0; i < RT_ARRAY_LENGTH(known); i++) {
        if (strcmp(text, known[i].name) == 0) {
            *network = known[i].network;
            return 0;
        }
    }
    return -EINVAL;
}

/* Host and port */

/* Returns the end of the host: the closing bracket, or the only colon. NULL: there is
   none. */
static const char *host_end(const char *text) {
    if (text[0] == '[') {
        const char *bracket = strchr(text, ']');
        return bracket != NULL && bracket[1] == ':' ? bracket : NULL;
    }
    const char *colon = strchr(text, ':');
    return colon != NULL && strchr(colon + 1, ':') == NULL ? colon : NULL;
}

int rt_hostport_split(const char *text, struct rt_hostport *parts) {
    const char *end = host_end(text);
    if (end == NULL) {
        return -EINVAL;
    }
    bool in_brackets = text[0] == '[';
    const char *port = end + 1 + in_brackets;
    *parts = (struct rt_hostport){
        .host = text + in_brackets,
        .host_bytes = (size_t)(end - text) - in_brackets,
        .in_brackets = in_brackets,
        .port = port,
        .port_bytes = strlen(port),
    };
    return parts->port_bytes > 0 ? 0 : -EINVAL;
}

static bool is_service_name(const char *text, size_t bytes) {
    if (bytes == 0 || bytes > RT_SERVICE_NAME_MAX || !is_letter(text[0])) {
        return false;
    }
    for (size_t i = 1; i < bytes; i++) {
        if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '-' &&
            text[i] != '_') {
            return false;
        }
    }
    return true;
}

int rt_port_parse(const struct rt_hostport *parts, uint16_t *port) {
    int64_t number = decimal(parts->port, parts->port_bytes, PORT_MAX);
    if (number >= 0) {
        *port = (uint16_t)number;
        return RT_PART_LITERAL;
    }
    return is_service_name(parts->port, parts->port_bytes) ? RT_PART_NAME : -EINVAL;
}

/* Numeric hosts */

bool rt_ipv4_parse(const char *text, size_t bytes, uint8_t ip[IPV4_BYTES]) {
    const char *end = text + bytes;
    for (int i = 0; i < IPV4_BYTES; i++) {
        const char *stop =
            i < IPV4_BYTES - 1 ? memchr(text, '.', (size_t)(end - text)) : end;
        if (stop == NULL) {
            return false;
        }
        int64_t part = decimal(text, (size_t)(stop - text), UINT8_MAX);
        if (part < 0 || (text[0] == '0' && stop - text > 1)) {
            return false;
        }
        ip[i] = (uint8_t)part;
        text = stop + (stop < end);
    }
    return true;
}

/* Parses up to four hexadecimal digits and advances *text. */
static bool take_group(const char **text, const char *end, uint8_t group[2]) {
    unsigned value = 0;
    int digits = 0;
    while (*text < end && digits < 4 && hex_value(**text) >= 0) {
        value = value << 4 | (unsigned)hex_value(**text);
        ++*text;
        digits++;
    }
    group[0] = (uint8_t)(value >> 8);
    group[1] = (uint8_t)value;
    return digits > 0;
}

/* Inserts the zeros that "::" stands for at the gap. Without "::", gap is SIZE_MAX and
   there must be 16 bytes. */
static bool ip_spread(const uint8_t *bytes, size_t length, size_t gap,
                      uint8_t ip[IPV6_BYTES]) {
    if (gap > IPV6_BYTES) {
        memcpy(ip, bytes, IPV6_BYTES);
        return length == IPV6_BYTES;
    }
    memset(ip, 0, IPV6_BYTES);
    memcpy(ip, bytes, gap);
    memcpy(ip + IPV6_BYTES - (length - gap), bytes + gap, length - gap);
    return length < IPV6_BYTES;
}

bool rt_ipv6_parse(const char *text, size_t bytes, uint8_t ip[IPV6_BYTES]) {
    const char *end = text + bytes;
    uint8_t given[IPV6_BYTES] = {0};
    size_t length = 0;
    size_t gap = SIZE_MAX; /* the offset of "::"; SIZE_MAX: none */
    if (bytes >= 2 && text[0] == ':' && text[1] == ':') {
        gap = 0;
        text += 2;
    }
    while (text < end) {
        if (length <= IPV6_BYTES - IPV4_BYTES &&
            rt_ipv4_parse(text, (size_t)(end - text), given + length)) {
            length += IPV4_BYTES;
            break;
        }
        if (length == IPV6_BYTES || !take_group(&text, end, given + length)) {
            return false;
        }
        length += 2;
        if (text == end) {
            break;
        }
        if (*text++ != ':' || text == end) {
            return false;
        }
        if (*text == ':') {
            if (gap != SIZE_MAX) {
                return false;
            }
            gap = length;
            text++;
        }
    }
    return ip_spread(given, length, gap, ip);
}

bool rt_ipv6_is_mapped(const uint8_t ip[IPV6_BYTES]) {
    static const uint8_t prefix[IPV6_BYTES - IPV4_BYTES] = {[10] = 0xff, [11] = 0xff};
    return memcmp(ip, prefix, sizeof prefix) == 0;
}

/* Returns the index of the interface, or an error. */
static int64_t parse_zone(const char *text, size_t bytes) {
    char name[OS_INTERFACE_NAME_BYTES];
    if (bytes == 0 || bytes >= sizeof name) {
        return -EINVAL;
    }
    int64_t number = decimal(text, bytes, UINT32_MAX);
    if (number >= 0) {
        return number > 0 ? number : -EINVAL;
    }
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    number = os_interface_find(name);
    return number == -ENODEV ? -EADDRNOTAVAIL : number;
}

static int parse_ipv6_and_zone(const char *text, size_t bytes,
                               struct os_address *address) {
    const char *percent = memchr(text, '%', bytes);
    size_t ip_bytes = percent != NULL ? (size_t)(percent - text) : bytes;
    if (!rt_ipv6_parse(text, ip_bytes, address->ip)) {
        return -EINVAL;
    }
    address->family = OS_FAMILY_IPV6;
    if (percent == NULL) {
        return RT_PART_LITERAL;
    }
    int64_t zone = parse_zone(percent + 1, bytes - ip_bytes - 1);
    if (zone < 0) {
        return (int)zone;
    }
    address->zone = (uint32_t)zone;
    return RT_PART_LITERAL;
}

/* Host names */

static bool is_label(const char *text, size_t bytes) {
    if (bytes == 0 || bytes > LABEL_MAX || text[0] == '-' || text[bytes - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '-' &&
            text[i] != '_') {
            return false;
        }
    }
    return true;
}

/* Whether the label is decimal, or hexadecimal after "0x". No host name ends in such a
   label. */
static bool is_number(const char *text, size_t bytes) {
    bool is_hex = bytes >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    for (size_t i = is_hex ? 2 : 0; i < bytes; i++) {
        if (is_hex ? hex_value(text[i]) < 0 : !is_digit(text[i])) {
            return false;
        }
    }
    return true;
}

static bool is_host_name(const char *text, size_t bytes) {
    if (bytes == 0 || bytes > RT_HOST_NAME_MAX ||
        (bytes == RT_HOST_NAME_MAX && text[bytes - 1] != '.')) {
        return false;
    }
    const char *end = text + bytes - (text[bytes - 1] == '.');
    for (;;) {
        const char *dot = memchr(text, '.', (size_t)(end - text));
        size_t label = (size_t)((dot != NULL ? dot : end) - text);
        if (!is_label(text, label)) {
            return false;
        }
        if (dot == NULL) {
            return !is_number(text, label);
        }
        text = dot + 1;
    }
}

int rt_host_parse(const struct rt_hostport *parts, struct os_address *address) {
    memset(address, 0, sizeof *address);
    if (parts->in_brackets) {
        return parse_ipv6_and_zone(parts->host, parts->host_bytes, address);
    }
    if (rt_ipv4_parse(parts->host, parts->host_bytes, address->ip)) {
        address->family = OS_FAMILY_IPV4;
        return RT_PART_LITERAL;
    }
    return is_host_name(parts->host, parts->host_bytes) ? RT_PART_NAME : -EINVAL;
}

/* Unix socket names */

int rt_unix_parse(const char *text, struct os_address *address) {
    bool is_abstract = text[0] == '@';
    size_t bytes = strlen(text);
    size_t max = is_abstract ? OS_UNIX_NAME_MAX : OS_UNIX_NAME_MAX - 1;
    if (bytes == 0 || bytes > max) {
        return -EINVAL;
    }
    memset(address, 0, sizeof *address);
    address->family = OS_FAMILY_UNIX;
    if (is_abstract && bytes == 1) {
        return 0; /* the kernel chooses a name */
    }
    address->name_bytes = (uint8_t)bytes;
    memcpy(address->name, text, bytes);
    if (is_abstract) {
        address->name[0] = '\0';
    }
    return 0;
}

/* Printing */

struct writer {
    char *text;
    size_t length;
};

static void writer_put(struct writer *w, char c) {
    w->text[w->length++] = c;
}

static void writer_put_text(struct writer *w, const char *text) {
    while (*text != '\0') {
        writer_put(w, *text++);
    }
}

static void writer_put_number(struct writer *w, uint32_t number, uint32_t base) {
    if (number >= base) {
        writer_put_number(w, number / base, base);
    }
    writer_put(w, "0123456789abcdef"[number % base]);
}

static void writer_put_ipv4(struct writer *w, const uint8_t ip[IPV4_BYTES]) {
    for (int i = 0; i < IPV4_BYTES; i++) {
        if (i > 0) {
            writer_put(w, '.');
        }
        writer_put_number(w, ip[i], 10);
    }
}

/* Finds the groups to write as "::": the longest run of zero groups, the first of equals,
   if it is longer than one (RFC 5952). Returns its first group; *count is its length, or 1
   if there is none. */
static int find_gap(const uint8_t ip[IPV6_BYTES], int *count) {
    int gap = 0;
    *count = 1;
    for (int i = 0, zeros = 0; i < IPV6_BYTES / 2; i++) {
        zeros = ip[2 * i] == 0 && ip[2 * i + 1] == 0 ? zeros + 1 : 0;
        if (zeros > *count) {
            gap = i + 1 - zeros;
            *count = zeros;
        }
    }
    return gap;
}

static void writer_put_ipv6(struct writer *w, const uint8_t ip[IPV6_BYTES]) {
    int gap_length;
    int gap = find_gap(ip, &gap_length);
    for (int i = 0; i < IPV6_BYTES / 2; i++) {
        if (gap_length > 1 && i == gap) {
            writer_put_text(w, "::");
            i += gap_length - 1;
            continue;
        }
        if (i > 0 && (gap_length == 1 || i != gap + gap_length)) {
            writer_put(w, ':');
        }
        writer_put_number(w, (uint32_t)ip[2 * i] << 8 | ip[2 * i + 1], 16);
    }
}

static void writer_put_zone(struct writer *w, uint32_t zone) {
    char name[OS_INTERFACE_NAME_BYTES];
    writer_put(w, '%');
    if (os_interface_name(zone, name) == 0) {
        writer_put_text(w, name);
    } else {
        writer_put_number(w, zone, 10);
    }
}

static void writer_put_name(struct writer *w, const struct os_address *address) {
    for (size_t i = 0; i < address->name_bytes; i++) {
        char c = address->name[i];
        writer_put(w, c != '\0' ? c : '@'); /* abstract names may contain more zeros */
    }
}

size_t rt_address_print(const struct os_address *address,
                        char text[RT_ADDRESS_TEXT_BYTES]) {
    struct writer w = {.text = text};
    switch (address->family) {
    case OS_FAMILY_IPV4: writer_put_ipv4(&w, address->ip); break;
    case OS_FAMILY_IPV6:
        writer_put(&w, '[');
        writer_put_ipv6(&w, address->ip);
        if (address->zone != 0) {
            writer_put_zone(&w, address->zone);
        }
        writer_put(&w, ']');
        break;
    case OS_FAMILY_UNIX: writer_put_name(&w, address); break;
    }
    if (address->family != OS_FAMILY_UNIX) {
        writer_put(&w, ':');
        writer_put_number(&w, address->port, 10);
    }
    text[w.length] = '\0';
    return w.length;
}

_Static_assert(OS_UNIX_NAME_MAX < RT_ADDRESS_TEXT_BYTES &&
                   sizeof "[1111:2222:3333:4444:5555:6666:7777:8888%]:65535" +
                           OS_INTERFACE_NAME_BYTES <
                       RT_ADDRESS_TEXT_BYTES,
               "any address fits");
