/* SPDX-License-Identifier: MIT */
/* Connecting to several addresses: the order and the delays of the attempts. */
#ifndef RT_NET_DIAL_H
#define RT_NET_DIAL_H

#include "os/os.h"

#include <stdint.h>

/* Returns the delay between the start of an attempt and the start of the next one: 300 ms
   as in Go, or less, so that all addresses can be tried before the deadline. left: the
   number of addresses not tried yet, above 0. The deadline has not passed. */
int64_t rt_dial_delay(int64_t now_ns, int64_t deadline_ns, int left);

/* Reorders the list so that the families alternate, beginning with that of the first
   address. The order within a family stays. */
void rt_dial_interleave(struct os_address *list, int count);

#endif
