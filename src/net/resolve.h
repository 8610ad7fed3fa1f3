/* SPDX-License-Identifier: MIT */
/* Resolving the text of an address to socket addresses. */
#ifndef RT_NET_RESOLVE_H
#define RT_NET_RESOLVE_H

#include "base/compiler.h"
#include "net/address.h"
#include "os/os.h"

enum rt_resolve_use { RT_RESOLVE_TO_LISTEN, RT_RESOLVE_TO_DIAL };

/* The result of rt_resolve(), in the order in which to try the addresses. Owner: the
   caller. */
struct rt_addresses {
    struct os_address *list;
    int count;                /* above 0 */
    struct os_address own[2]; /* holds the list if no host name was looked up */
};

/* Fills *found; the caller frees it with rt_addresses_free(). Waits for a lookup if the
   text contains a name. Returns 0, -EINVAL if the text is no address of that network,
   -EADDRNOTAVAIL if a name is unknown, -ETIMEDOUT, or another error of rt_lookup(). pc:
   the caller of the public function. Call it outside. */
int rt_resolve(const struct rt_network *network, const char *text,
               enum rt_resolve_use use, int64_t deadline_ns, const void *pc,
               struct rt_addresses *found) RT_NODISCARD;

void rt_addresses_free(struct rt_addresses *found);

/* Moves the IPv4 addresses to the front. The order within a family stays. */
void rt_addresses_ipv4_first(struct os_address *list, int count);

#endif
