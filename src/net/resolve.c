/* SPDX-License-Identifier: MIT */
/* Resolving the text of an address: literals, names, and an empty host. */
#include "net/resolve.h"
#include "base/alloc.h"
#include "net/lookup.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* An empty host, and localhost */

static void addresses_add(struct rt_addresses *found, struct os_address address) {
    found->own[found->count++] = address;
}

static void add_local(struct rt_addresses *found, unsigned families,
                      enum rt_resolve_use use) {
    static const struct os_address all_ipv6 = {.family = OS_FAMILY_IPV6};
    static const struct os_address all_ipv4 = {.family = OS_FAMILY_IPV4};
    static const struct os_address this_ipv6 = {.family = OS_FAMILY_IPV6,
                                                .ip = {[15] = 1}};
    static const struct os_address this_ipv4 = {.family = OS_FAMILY_IPV4,
                                                .ip = {127, 0, 0, 1}};
    if (use == RT_RESOLVE_TO_DIAL) {
        if ((families & OS_FAMILIES_IPV4) != 0) {
            addresses_add(found, this_ipv4);
        }
        if ((families & OS_FAMILIES_IPV6) != 0) {
            addresses_add(found, this_ipv6);
        }
        return;
    }
    /* An IPv6 socket serves both families; IPv4 is for machines without IPv6. */
    if ((families & OS_FAMILIES_IPV6) != 0) {
        addresses_add(found, all_ipv6);
    }
    if ((families & OS_FAMILIES_IPV4) != 0) {
        addresses_add(found, all_ipv4);
    }
}

/* RFC 6761: localhost is this machine, whatever a name server answers. */
static bool is_localhost(const struct rt_hostport *parts) {
    static const char name[] = "localhost.";
    size_t bytes = sizeof name - 1;
    return (parts->host_bytes == bytes || parts->host_bytes == bytes - 1) &&
           strncasecmp(parts->host, name, parts->host_bytes) == 0;
}

/* Text to addresses */

/* Whether the address may be used for these families. An IPv4-mapped IPv6 address belongs
   to neither family alone: an IPv4 socket cannot use it, and with an IPv6 socket it would
   reach IPv4 hosts. */
static bool is_of(const struct os_address *address, unsigned families) {
    if (address->family == OS_FAMILY_IPV4) {
        return (families & OS_FAMILIES_IPV4) != 0;
    }
    return families == OS_FAMILIES_BOTH ||
           (families == OS_FAMILIES_IPV6 && !rt_ipv6_is_mapped(address->ip));
}

/* Removes the addresses of other families. Returns the number left. */
static int keep_families(struct os_address *list, int count, unsigned families) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (is_of(&list[i], families)) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* Looks up the names that l contains: of a service, for *port, of a host, for *found, or
   both. */
static int resolve_names(struct rt_lookup *l, int64_t deadline_ns, const void *pc,
                         uint16_t *port, struct rt_addresses *found) {
    int error = rt_lookup(l, deadline_ns, pc);
    if (error != 0) {
        return error;
    }
    if (l->service[0] != '\0') {
        *port = (uint16_t)l->port;
    }
    if (l->host[0] != '\0') {
        found->list = l->list;
        found->count = keep_families(l->list, l->count, l->families);
    }
    if (found->count == 0) {
        rt_addresses_free(found);
        return -EADDRNOTAVAIL;
    }
    return 0;
}

static int resolve_hostport(const struct rt_network *network,
                            const struct rt_hostport *parts, enum rt_resolve_use use,
                            int64_t deadline_ns, const void *pc,
                            struct rt_addresses *found) {
    uint16_t port = 0;
    int host_part = RT_PART_LITERAL;
    int port_part = rt_port_parse(parts, &port);
    if (port_part < 0) {
        return port_part;
    }
    if (parts->host_bytes == 0 && !parts->in_brackets) {
        add_local(found, network->families, use);
    } else {
        host_part = rt_host_parse(parts, &found->own[0]);
        found->count = host_part == RT_PART_LITERAL;
    }
    if (host_part == RT_PART_NAME && is_localhost(parts)) {
        host_part = RT_PART_LITERAL;
        add_local(found, network->families, RT_RESOLVE_TO_DIAL);
    }
    if (host_part < 0) {
        return host_part;
    }
    if (found->count > 0 && !is_of(&found->own[0], network->families)) {
        return -EINVAL;
    }
    if (host_part == RT_PART_NAME || port_part == RT_PART_NAME) {
        struct rt_lookup l = {.families = network->families, .kind = network->kind};
        memcpy(l.host, parts->host, host_part == RT_PART_NAME ? parts->host_bytes : 0);
        memcpy(l.service, parts->port, port_part == RT_PART_NAME ? parts->port_bytes : 0);
        int error = resolve_names(&l, deadline_ns, pc, &port, found);
        if (error != 0) {
            return error;
        }
    }
    for (int i = 0; i < found->count; i++) {
        found->list[i].port = port;
    }
    if (use == RT_RESOLVE_TO_LISTEN && host_part == RT_PART_NAME) {
        rt_addresses_ipv4_first(found->list, found->count); /* most clients try IPv4 */
    }
    return 0;
}

int rt_resolve(const struct rt_network *network, const char *text,
               enum rt_resolve_use use, int64_t deadline_ns, const void *pc,
               struct rt_addresses *found) {
    struct rt_hostport parts;
    found->list = found->own;
    found->count = 0;
    if (network->families == 0) {
        found->count = 1;
        return rt_unix_parse(text, &found->own[0]);
    }
    int error = rt_hostport_split(text, &parts);
    if (error != 0) {
        return error;
    }
    return resolve_hostport(network, &parts, use, deadline_ns, pc, found);
}

void rt_addresses_free(struct rt_addresses *found) {
    if (found->list != found->own) {
        rt_free(found->list);
    }
}

void rt_addresses_ipv4_first(struct os_address *list, int count) {
    int first = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].family == OS_FAMILY_IPV4) {
            struct os_address ipv4 = list[i];
            memmove(list + first + 1, list + first, (size_t)(i - first) * sizeof *list);
            list[first++] = ipv4;
        }
    }
}
