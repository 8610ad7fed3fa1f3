/* SPDX-License-Identifier: MIT */
/* The waits for descriptors: how many there are, and whether one goes on. */
#ifndef RT_SCHED_NETPOLL_POLLWAIT_H
#define RT_SCHED_NETPOLL_POLLWAIT_H

#include "base/atomic.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_p;

/* The word of a direction: these bits, and the waiter. See 'One word' in polldesc.c. */
enum rt_pollway_bits {
    RT_POLLWAY_READY = 1,   /* an event that no operation has consumed yet */
    RT_POLLWAY_EXPIRED = 2, /* the deadline has passed */
    RT_POLLWAY_CLOSED = 4,  /* permanent */
    /* an end or an error may follow, so that a try may succeed without READY: see
       'Drained' in fd.c; permanent */
    RT_POLLWAY_MORE = 8,
    RT_POLLWAY_BITS = 15,
    RT_POLLWAY_ENDS = 7, /* the bits that end a wait */
};

/* True if there was a waiter in the word a moment ago. */
static inline bool rt_pollway_has_waiter(const rt_atomic(uintptr_t) *word) {
    /* relaxed: a hint */
    return (rt_load_rlx(word) & ~(uintptr_t)RT_POLLWAY_BITS) != 0;
}

/* Before and after a wait for a descriptor in the direction that has this word. Called
   inside. */
void rt_netpoll_wait_begin(const rt_atomic(uintptr_t) *word);
void rt_netpoll_wait_end(void);

/* True if the last wait that began on p, or a later one in the same direction, was still
   going on a moment ago. */
bool rt_netpoll_awaited_on(const struct rt_p *p);

/* How many waits for descriptors have ended. rt_netpoll_awaited() takes an earlier count:
   true if a goroutine or foreign thread has been in such a wait at any moment since. */
uint64_t rt_netpoll_waits_ended(void);
bool rt_netpoll_awaited(uint64_t ended);

#endif
