/* SPDX-License-Identifier: MIT */
/* From the text of an address to the addresses that it stands for. */
#ifndef RT_NET_RESOLVE_H
#define RT_NET_RESOLVE_H

#include "base/compiler.h"
#include "net/address.h"
#include "os/os.h"

enum rt_resolve_use { RT_RESOLVE_TO_LISTEN, RT_RESOLVE_TO_DIAL };

/* What rt_resolve() has found, in the order in which they are to be tried. */
struct rt_addresses {
    struct os_address *list;
    int count;                /* above 0 */
    struct os_address own[2]; /* the list, if nobody had to be asked */
};

/* Fills *found, for rt_addresses_free(). Waits for the system's answer if a name is in the
   text. Returns 0 or an error: -EINVAL if the text is no address of that network,
   -EADDRNOTAVAIL if a name is not known, -ETIMEDOUT, or what else keeps names from being
   looked up. pc: where the program called in. Outside. */
int rt_resolve(const struct rt_network *network, const char *text,
               enum rt_resolve_use use, int64_t deadline_ns, const void *pc,
               struct rt_addresses *found) RT_NODISCARD;

void rt_addresses_free(struct rt_addresses *found);

/* Moves those of IPv4 to the front; otherwise the order stays. */
void rt_addresses_ipv4_first(struct os_address *list, int count);

#endif
