/* SPDX-License-Identifier: MIT */
/* From the text of an address to addresses: literals, names, and what nothing stands
   for. */
#include "net/resolve.h"
#include "base/alloc.h"
#include "net/lookup.h"

#include <errno.h>
#include <string.h>

/* What nothing stands for */

static void add(struct rt_addresses *found, struct os_address address) {
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
            add(found, this_ipv4);
        }
        if ((families & OS_FAMILIES_IPV6) != 0) {
            add(found, this_ipv6);
        }
        return;
    }
    /* One of IPv6 is for both: the other is for where there is no IPv6. */
    if ((families & OS_FAMILIES_IPV6) != 0) {
        add(found, all_ipv6);
    }
    if ((families & OS_FAMILIES_IPV4) != 0) {
        add(found, all_ipv4);
    }
}

/* Text to addresses */

/* An address of IPv4 that is written as one of IPv6 is of neither: who wants one kind
   alone gets sockets that cannot use it, or would be surprised by what they reach. */
static bool is_of(const struct os_address *address, unsigned families) {
    if (address->family == OS_FAMILY_IPV4) {
        return (families & OS_FAMILIES_IPV4) != 0;
    }
    return families == OS_FAMILIES_BOTH ||
           (families == OS_FAMILIES_IPV6 && !rt_ipv6_is_mapped(address->ip));
}

/* Returns how many of the list are left. */
static int keep_families(struct os_address *list, int count, unsigned families) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (is_of(&list[i], families)) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* ask_host, ask_service: which of the parts are names. */
static int resolve_names(const struct rt_network *network,
                         const struct rt_hostport *parts, bool ask_host, bool ask_service,
                         int64_t deadline_ns, const void *pc, uint16_t *port,
                         struct rt_addresses *found) {
    struct rt_lookup l = {.families = network->families, .kind = network->kind};
    memcpy(l.host, parts->host, ask_host ? parts->host_bytes : 0);
    memcpy(l.service, parts->port, ask_service ? parts->port_bytes : 0);
    int error = rt_lookup(&l, deadline_ns, pc);
    if (error != 0) {
        return error;
    }
    if (ask_service) {
        *port = (uint16_t)l.port;
    }
    if (ask_host) {
        found->list = l.list;
        found->count = keep_families(l.list, l.count, network->families);
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
    if (host_part < 0) {
        return host_part;
    }
    if (found->count > 0 && !is_of(&found->own[0], network->families)) {
        return -EINVAL;
    }
    if (host_part == RT_PART_NAME || port_part == RT_PART_NAME) {
        int error =
            resolve_names(network, parts, host_part == RT_PART_NAME,
                          port_part == RT_PART_NAME, deadline_ns, pc, &port, found);
        if (error != 0) {
            return error;
        }
    }
    for (int i = 0; i < found->count; i++) {
        found->list[i].port = port;
    }
    if (use == RT_RESOLVE_TO_LISTEN && host_part == RT_PART_NAME) {
        rt_addresses_ipv4_first(found->list, found->count); /* where most will look */
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
