/* SPDX-License-Identifier: MIT */
/* Connecting to one address after the other: how the time is divided. */
#ifndef RT_NET_DIAL_H
#define RT_NET_DIAL_H

#include <stdint.h>

/* Until when the next of count addresses is tried, if all have to be by the deadline, which
   has not passed: an equal share of the time, but at least two seconds if there are as
   many, since a connection that loses a packet needs them. */
int64_t rt_dial_share(int64_t now_ns, int64_t deadline_ns, int count);

#endif
